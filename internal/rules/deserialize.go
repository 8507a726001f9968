package rules

import "palisade"

var _ = add(Rule{
	ID: "py-deserialize", Title: "Loads data that can run code", Severity: palisade.Medium, Capability: palisade.CapDeserialize, CWE: 502,
	Says:        "could load data that runs code",
	Description: "A pickle, and what is built on pickles, calls whatever its author wished when it is loaded.",
	Remedy:      "Read CSV, JSON or Parquet; load arrays without pickles and YAML with safe_load.",
	Bad: []string{
		"import pickle\npickle.loads(b'')", "import numpy as np\nnp.load('a.npy', allow_pickle=True)",
		"import yaml\nyaml.load('x', Loader=yaml.UnsafeLoader)", "import pandas as pd\npd.read_pickle('x')",
		"import torch\ntorch.load('m.bin')", "import marshal\nmarshal.loads(b'')",
	},
	Good: []string{
		"import json\njson.loads('1')", "import numpy as np\nnp.load('a.npy')", "import yaml\nyaml.safe_load('x')",
		"import yaml\nyaml.load('x', Loader=yaml.SafeLoader)", "import torch\ntorch.load('m', weights_only=True)",
		"import pickle\npickle.dumps(1)",
	},
})
