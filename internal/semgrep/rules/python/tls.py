import ssl
import urllib.request
from ssl import PROTOCOL_TLSv1, create_default_context

import paramiko
import requests


def fetch(url):
    # ruleid: python-tls-unverified
    requests.get(url, verify=False)
    # ok: python-tls-unverified
    requests.get(url, verify="/etc/ssl/own.pem")
    session = requests.Session()
    # ruleid: python-tls-unverified
    session.verify = False
    # ruleid: python-tls-unverified
    session.post(url, data={}, verify=False)
    off = False
    # ruleid: python-tls-unverified
    requests.post(url, timeout=3, verify=off)
    # ruleid: python-tls-unverified
    context = ssl._create_unverified_context()
    return urllib.request.urlopen(url, context=context)


def context():
    c = create_default_context()
    # ruleid: python-tls-unverified
    c.check_hostname = False
    # ruleid: python-tls-unverified
    c.verify_mode = ssl.CERT_NONE
    # ok: python-tls-unverified
    c.verify_mode = ssl.CERT_REQUIRED
    # ok: python-tls-unverified
    check(c, verify=False)
    # ruleid: python-tls-old
    old = ssl.SSLContext(PROTOCOL_TLSv1)
    # ok: python-tls-old
    new = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # ruleid: python-tls-old
    new.minimum_version = ssl.TLSVersion.TLSv1_1
    # ok: python-tls-old
    new.minimum_version = ssl.TLSVersion.TLSv1_3
    return old, new


client = paramiko.SSHClient()
# ruleid: python-tls-unverified
client.set_missing_host_key_policy(paramiko.AutoAddPolicy())
# ok: python-tls-unverified
client.set_missing_host_key_policy(paramiko.RejectPolicy())

from paramiko import client as ssh
from OpenSSL import SSL
from urllib3 import PoolManager

other = ssh.SSHClient()
# ruleid: python-tls-unverified
other.set_missing_host_key_policy(ssh.WarningPolicy())
# ruleid: python-tls-unverified
pool = PoolManager(10, cert_reqs="CERT_NONE")
# ok: python-tls-unverified
pool = PoolManager(10, cert_reqs="CERT_REQUIRED")
# ruleid: python-tls-old
old = SSL.Context(method=SSL.TLSv1_METHOD)
