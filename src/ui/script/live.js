/*
 * Keeps the page as it would be if it were opened now: a stream says that something happened, then the page is read
 * anew and what differs is replaced, around what a person types. Without this script the page is complete as it was
 * opened, or reloads itself.
 */
import { updateContent } from './live-content.js';

const GATHER_MS = 150;
const BETWEEN_READS_MS = 1_000;
const READ_AGAIN_MS = 5_000;
const READ_MS_MAX = 20_000;
/** The service says something every 15 s. */
const SILENCE_MS_MAX = 45_000;
const RETRY_MS = 1_000;
const RETRY_MS_MAX = 30_000;
/** A stream that lasts so long ends the doubling of retries; some proxies close each one at once. */
const STEADY_MS = 10_000;
const FOLLOW_MS = 4_000;

const main = document.getElementById('content');
/** The organization whose page this is; none for pages of the lab and for everybody. */
const SHOWN_FOR = document.body.dataset.organization;
const state = {
  stream: null,
  reading: null,
  isStale: false,
  isPaused: false,
  isOver: false,
  readAtMs: 0,
  dueMs: Infinity,
};
const timers = { read: 0, retry: 0, poll: 0 };
let retryMs = RETRY_MS;

/* What is said: changes to screen readers alone, trouble to everybody. */
function createStatus(className) {
  const status = document.createElement('p');
  status.className = className;
  status.setAttribute('role', 'status');
  document.querySelector('.foot').append(status);
  return status;
}
const spoken = createStatus('visually-hidden');
const trouble = createStatus('live-trouble');

function tell(text, link) {
  if (trouble.textContent === text + (link ?? '')) return;
  trouble.replaceChildren(text);
  if (link === undefined) return;
  const anchor = document.createElement('a');
  anchor.href = location.href;
  anchor.textContent = link;
  trouble.append(anchor);
}

function end(text, link) {
  state.isOver = true;
  disconnect();
  button.hidden = true;
  tell(text, link);
}

/** Reads the page anew; true when it was read. Calls during a reading lead to one more after it. */
async function refresh() {
  if (state.reading !== null) {
    state.isStale = true;
    return state.reading;
  }
  state.reading = readPage()
    .catch(() => false)
    .finally(() => {
      state.reading = null;
      state.readAtMs = performance.now();
      if (state.isStale) plan();
      state.isStale = false;
    });
  return state.reading;
}

async function readPage() {
  const answer = await fetch(location.href, {
    headers: { accept: 'text/html' },
    signal: AbortSignal.timeout(READ_MS_MAX),
  });
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const { organization } = page.body.dataset;
  if (SHOWN_FOR !== undefined && organization !== undefined && organization !== SHOWN_FOR) {
    end('You are now in another organization. This page shows the earlier one. ', 'Load it anew');
    return false;
  }
  if (answer.status === 401) end('You are signed out. ', 'Sign in');
  else if (answer.status === 404) end('This page no longer exists. ', 'Look again');
  if (!answer.ok) return false;
  const next = page.getElementById('content');
  if (next === null) return false;
  if (main.dataset.live !== undefined && next.dataset.live === undefined) {
    end('You are signed out. ', 'Sign in');
    return false;
  }
  show(page, next);
  return true;
}

function show(page, next) {
  const { hasChanged, isHeld } = updateContent(main, next);
  const isNamedAnew = document.title !== page.title;
  document.title = page.title;
  for (const name of ['live', 'poll'])
    if (next.dataset[name] === undefined) delete main.dataset[name];
    else main.dataset[name] = next.dataset[name];
  if (isNamedAnew) spoken.textContent = page.title.replace(/ · [^·]*$/, '');
  else if (hasChanged) spoken.textContent = 'The page was updated.';
  if (isHeld) tell('The form in which you are typing has changed. ', 'Load it anew');
  else tell('');
}

/** Time that must pass before the next reading, in milliseconds; negative when it may begin. */
function computeRestMs() {
  const betweenMs = Number(main.dataset.between ?? BETWEEN_READS_MS);
  return betweenMs - (performance.now() - state.readAtMs);
}

/** Gathers what happens together, and leaves time between two readings. */
function plan(waitMs = GATHER_MS) {
  const delayMs = Math.max(waitMs, computeRestMs());
  const dueMs = performance.now() + delayMs;
  // What happens without a break must not put the reading off for ever.
  if (state.dueMs <= dueMs) return;
  forgetPlan();
  state.dueMs = dueMs;
  timers.read = setTimeout(() => void look(), delayMs);
}

function forgetPlan() {
  clearTimeout(timers.read);
  state.dueMs = Infinity;
}

async function look() {
  forgetPlan();
  // A page that is shown again is read anew.
  if (document.hidden || state.isPaused || state.isOver) return;
  // The page may have been read for another reason meanwhile.
  if (computeRestMs() > 0) plan();
  else if (!(await refresh()) && state.stream !== null) plan(READ_AGAIN_MS);
}

async function connect() {
  if (state.stream !== null || state.isOver || state.isPaused || document.hidden) return;
  if (main.dataset.live === undefined) return;
  const stream = new AbortController();
  state.stream = stream;
  await listen(stream).catch(() => undefined);
  // Closed on purpose.
  if (state.stream !== stream) return;
  state.stream = null;
  stream.abort();
  lose();
}

async function listen(stream) {
  const { signal } = stream;
  const answer = await endSilence(
    stream,
    fetch(main.dataset.live, { headers: { accept: 'text/event-stream' }, signal }),
  );
  if (!answer.ok) throw new Error('refused');
  tell('');
  const openMs = performance.now();
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let tail = '';
  for (;;) {
    const { done, value } = await endSilence(stream, reader.read());
    if (performance.now() - openMs >= STEADY_MS) retryMs = RETRY_MS;
    if (done) return;
    // A line may come in two pieces.
    if (/^data:/m.test(tail + value)) plan();
    tail = `${tail}${value}`.slice(-'\ndata'.length);
  }
}

/** Ends a stream that says nothing for long, from its first word on. */
function endSilence(stream, word) {
  const silence = setTimeout(() => stream.abort(), SILENCE_MS_MAX);
  return word.finally(() => clearTimeout(silence));
}

/** A page that was read anew says where the next stream begins, so that nothing between is missed. */
function lose() {
  tell('The connection is lost. Trying again.');
  planReturn(retryMs * (0.5 + Math.random() / 2));
  retryMs = Math.min(2 * retryMs, RETRY_MS_MAX);
}

/** One return at a time, and none before the pause between two readings is over. */
function planReturn(waitMs) {
  clearTimeout(timers.retry);
  timers.retry = setTimeout(() => void comeBack(), Math.max(waitMs, computeRestMs()));
}

async function comeBack() {
  // The page may have been read for another reason meanwhile.
  if (computeRestMs() > 0) planReturn(0);
  else if (await refresh()) await connect();
  else if (!state.isOver && !document.hidden && !state.isPaused) lose();
}

function disconnect() {
  const { stream } = state;
  state.stream = null;
  stream?.abort();
  clearTimeout(timers.retry);
  forgetPlan();
}

function start() {
  if (!document.hidden && !state.isPaused && !state.isOver) planReturn(0);
}

/** What has no stream is looked at again: a page for everybody, and work whose progress no update tells. */
function poll() {
  const isFollowing = main.querySelector('[data-follow]') !== null;
  const { poll: everyMs } = main.dataset;
  const ms = everyMs === undefined ? FOLLOW_MS : Number(everyMs);
  timers.poll = setTimeout(() => void lookAgain(everyMs, isFollowing), ms);
}

async function lookAgain(everyMs, isFollowing) {
  const isWanted = everyMs !== undefined || isFollowing;
  const isPossible = !document.hidden && !state.isPaused && !state.isOver && computeRestMs() <= 0;
  if (isWanted && isPossible && !(await refresh()) && everyMs !== undefined)
    tell('The connection is lost. Trying again.');
  poll();
}

const button = document.createElement('button');
button.type = 'button';
button.className = 'quiet';
button.textContent = 'Pause updates';
button.addEventListener('click', () => {
  state.isPaused = !state.isPaused;
  button.textContent = state.isPaused ? 'Resume updates' : 'Pause updates';
  if (state.isPaused) disconnect();
  else start();
});
document.querySelector('.foot').append(button);

document.addEventListener('visibilitychange', () => {
  if (document.hidden) disconnect();
  else start();
});
window.addEventListener('pagehide', disconnect);
// A page that comes back from the history of the browser is as old as it was left.
window.addEventListener('pageshow', (event) => {
  if (event.persisted) start();
});
void connect();
poll();
