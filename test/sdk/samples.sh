# Runs samples for a test: reads the path of a program a line, and prints what it printed as one line.
while read -r path; do
  sh "$path" </dev/null
  echo
done
