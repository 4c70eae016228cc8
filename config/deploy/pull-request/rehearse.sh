#!/bin/sh
# Tests the mappings of a changed configuration and rehearses it, and writes comment.md: numbers, no personal data.
#
#   sh ci/rehearse.sh COMMIT      COMMIT: the branch or commit that the change is to be merged into
#
# Ends with 0, or with the exit code of the command that was not content: 2 a configuration that is not valid, 3 a test that
# fails or a file that only the old configuration can read. Neither command asks the service anything or needs its key.
#
# `rehearse` reads processed files, from <source.folder>/processed of each pipeline. A runner of your own may mount the real
# ones, read-only. A hosted runner has none: keep samples of invented people there, in the repository. Never real exports.
set -u
config=${CONTACT_SYNC_CONFIG:-config/contact-sync.yaml}
command=${CONTACT_SYNC:-npx contact-sync}
folder=$(dirname "$config")
# In the same folder: paths in a configuration are relative to it.
old="$folder/.before-$(basename "$config")"
numbers=$(mktemp)
trap 'rm -f "$old" "$numbers"' EXIT

worst=0
note() { if [ "$1" -gt "$worst" ]; then worst=$1; fi; }

# Only its numbers get into the comment; what fails, and why, stands in the log of the job.
$command test --config "$config"
tested=$?
note $tested
case $tested in
  0) verdict='The tests of the mappings pass.' ;;
  3) verdict='**Tests of the mappings fail.** The log of the job says which.' ;;
  *) verdict='**The configuration is not valid, or cannot be tested.** The log of the job says why.' ;;
esac

{
  # By this line the comment is found again.
  echo '<!-- contact-sync: test and rehearse -->'
  echo '## contact-sync test'
  echo
  echo "$verdict"
  echo
} > comment.md

if ! git fetch --quiet --depth=1 origin "$1" || ! git show "FETCH_HEAD:$config" > "$old" 2> /dev/null; then
  echo "There is no $config before this change: nothing to compare it with." >> comment.md
elif [ $tested -eq 0 ] || [ $tested -eq 3 ]; then
  # Its text names files and every term: a log may be read by more than those who may see them.
  $command rehearse --config "$old" --with "$config" --markdown "$numbers" > /dev/null
  rehearsed=$?
  note $rehearsed
  case $rehearsed in
    0 | 3) cat "$numbers" >> comment.md ;;
    *) echo '**The change cannot be rehearsed.** The log of the job says why.' >> comment.md ;;
  esac
fi
cat comment.md
exit $worst
