/*
 * Keys of a review: "j" and "k" move between rows, "a" accepts, "x" excludes, "r" repeats; a reason is typed next. The
 * form works without them, and the switch of the lab's keys turns them off.
 */
const WAIT_MS = 1500;
const KEYS = { a: 'accept', x: 'exclude', r: 'repeat' };

const toggle = document.querySelector('#lab-keys-on');
const form = document.querySelector('form[data-review]');
const rows = form === null ? [] : [...form.querySelectorAll('.replicate')];
let at = -1;
let wentAtMs = -WAIT_MS;

function isTyping(target) {
  if (!(target instanceof HTMLElement)) return false;
  return target.closest('input:not([type=radio]), textarea, select, summary, [popover]') !== null;
}

function moveTo(index) {
  at = Math.max(0, Math.min(rows.length - 1, index));
  for (const row of rows) row.classList.toggle('current', row === rows[at]);
  rows[at].querySelector('input:checked, input[type=radio]').focus();
  rows[at].scrollIntoView({ block: 'nearest' });
}

function choose(decision) {
  const radio = rows[at]?.querySelector(`input[value=${decision}]`);
  if (radio === null || radio === undefined) return;
  radio.checked = true;
  mark(rows[at]);
  if (decision === 'accept') radio.focus();
  else rows[at].querySelector('input[type=text]').focus();
}

/** A row that differs from what holds is told from the others. */
function mark(row) {
  const radio = row.querySelector('input:checked');
  row.classList.toggle('changed-row', radio !== null && !radio.defaultChecked);
}

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.key === 'Escape' && rows[at]?.contains(event.target)) {
    rows[at].querySelector('input:checked')?.focus();
    return;
  }
  if (isTyping(event.target) || toggle?.checked === false) return;
  const wasGoing = performance.now() - wentAtMs < WAIT_MS;
  wentAtMs = event.key === 'g' ? performance.now() : -WAIT_MS;
  if (wasGoing || rows.length === 0) return;
  if (event.key === 'j' || event.key === 'k') {
    event.preventDefault();
    moveTo(at + (event.key === 'j' ? 1 : -1));
  } else if (event.key in KEYS && at >= 0) {
    event.preventDefault();
    choose(KEYS[event.key]);
  }
}

if (form !== null) {
  form.addEventListener('change', (event) => mark(event.target.closest('.replicate')));
  form.addEventListener('focusin', (event) => {
    const row = event.target.closest('.replicate');
    if (row === null) return;
    at = rows.indexOf(row);
    for (const each of rows) each.classList.toggle('current', each === row);
  });
  document.addEventListener('keydown', press);
}
