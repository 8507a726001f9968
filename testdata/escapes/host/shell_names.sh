# tries: leave files whose names are taken for something else
# must: keep only what has a plain name
# expect: status=ok
# expect: artifacts=plain.txt
echo 1 >plain.txt
echo 1 >"$(printf 'a\nX-Evil: 1.csv')"
echo 1 >./-rf
echo 1 >"$(printf 'rev\342\200\256txt.exe')"
echo 1 >"$(printf 'bad\377name')"
echo 1 >' leading'
