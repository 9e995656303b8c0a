/*
 * Follows what the worker does: the note is read anew from the same address until it is gone from there. Then a link
 * shows the page; it never loads by itself, because a person may be typing.
 */
const WAIT_MS = 4000;

const note = document.querySelector('[data-follow]');

async function look() {
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
  if (!answer.ok) return false;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const next = page.querySelector('[data-follow]');
  if (next !== null) {
    if (next.textContent !== note.textContent) note.textContent = next.textContent;
    return false;
  }
  const link = document.createElement('a');
  link.href = location.pathname;
  link.textContent = 'Show what is new';
  note.replaceChildren('The analysis has ended. ', link);
  return true;
}

async function lookAgain() {
  const isOver = await look().catch(() => false);
  if (!isOver) wait();
}

function wait() {
  setTimeout(() => void lookAgain(), WAIT_MS);
}

if (note !== null) wait();
