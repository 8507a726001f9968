package rules

import (
	"testing"

	"palisade"
)

// TestPythonStarts: what a Python program starts is read as what it is.
func TestPythonStarts(t *testing.T) {
	j := newJudge(t)
	for _, src := range []string{
		"import subprocess\nsubprocess.run(['cat', 'passwd'], cwd='/etc')",
		"import subprocess\nsubprocess.run('cat passwd', cwd='..', shell=True)",
		"import subprocess\nsubprocess.run(['ls', 'x'], executable='/bin/rm')",
		"import subprocess\nsubprocess.Popen('x', executable='/usr/bin/rm', shell=True)",
		"import subprocess\nsubprocess.getstatusoutput(cmd='rm x')",
		"import os\nos.execvp('rm', ['rm', 'x'])",
		"import os\nos.spawnlp(os.P_WAIT, 'rm', 'rm', 'x')",
		"import os\nos.execl('/bin/sh', 'sh', '-c', 'rm x')",
		"import asyncio\nasyncio.run(asyncio.create_subprocess_exec('rm', 'x'))",
		"import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'import os; os.remove(\"x\")'])",
		"import subprocess, sys\nsubprocess.run([sys.executable, '-m', 'pip', 'install', 'x'])",
	} {
		if v := j.program("agent", palisade.Python, src); v.Decision == palisade.Allow {
			t.Errorf("allowed:\n%s", src)
		}
	}
	for _, src := range []string{
		"import subprocess, sys\nsubprocess.run([sys.executable, 'script.py'])",
		"import subprocess\nsubprocess.run(['ls', '-l'], cwd='data')",
		"import subprocess\nsubprocess.run('ls | wc -l', shell=True, executable='/bin/bash')",
		"import subprocess, os\nsubprocess.run(['make'], env={**os.environ, 'CC': 'gcc'}, cwd=os.getcwd())",
		"import asyncio\nasyncio.run(asyncio.create_subprocess_exec('ls', '-l'))",
	} {
		if v := j.program("agent", palisade.Python, src); v.Decision != palisade.Allow {
			t.Errorf("%s%s\n%s", v.Decision, why(v), src)
		}
	}
}
