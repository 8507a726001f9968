import json
import pickle as p
from pickle import loads

import lxml.etree
import numpy as np
import torch
import yaml


def load(data, f):
    # ruleid: python-unsafe-deserialization
    a = p.load(f)
    # ruleid: python-unsafe-deserialization
    b = loads(data)
    # ok: python-unsafe-deserialization
    c = json.loads(data)
    # ok: python-unsafe-deserialization
    d = p.dumps(a)
    # ruleid: python-unsafe-deserialization
    e = np.load("x.npy", allow_pickle=True)
    # ok: python-unsafe-deserialization
    g = np.load("x.npy")
    # ruleid: python-unsafe-deserialization
    h = torch.load("model.pt")
    # ok: python-unsafe-deserialization
    i = torch.load("model.pt", weights_only=True)
    return a, b, c, d, e, g, h, i


def read(text):
    # ruleid: python-unsafe-yaml
    a = yaml.load(text)
    # ruleid: python-unsafe-yaml
    b = yaml.load(text, Loader=yaml.Loader)
    # ok: python-unsafe-yaml
    c = yaml.load(text, Loader=yaml.SafeLoader)
    # ok: python-unsafe-yaml
    d = yaml.safe_load(text)
    # ok: python-unsafe-yaml
    e = yaml.load(text, yaml.CSafeLoader)
    return a, b, c, d, e


# ruleid: python-unsafe-xml
parser = lxml.etree.XMLParser(resolve_entities=True)
# ok: python-unsafe-xml
parser = lxml.etree.XMLParser(resolve_entities=False)

import ruamel.yaml

# ruleid: python-unsafe-yaml
loader = ruamel.yaml.YAML(typ="unsafe")
# ok: python-unsafe-yaml
loader = ruamel.yaml.YAML(typ="safe")
