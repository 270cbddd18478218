// node .ci/walks/longest-gap.mjs URL [TOKEN]: asks the URL by POST, again and again, until SIGTERM; then prints for how many milliseconds at most there was
// no good answer.
const [url, token] = process.argv.slice(2);
let isOver = false;
let longest = 0;
let last = performance.now();
process.on('SIGTERM', () => {
  isOver = true;
});
while (!isOver) {
  const signal = AbortSignal.timeout(1_000);
  const answer = await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${token}` }, signal }).catch(() => undefined);
  await answer?.arrayBuffer().catch(() => undefined);
  if (answer?.ok) {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }
  await new Promise((resolve) => setTimeout(resolve, 50));
}
process.stdout.write(`${Math.round(Math.max(longest, performance.now() - last))}\n`);
