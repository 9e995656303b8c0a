/* Keys of the lab's pages: "/" focuses the search, "g" and a letter opens a screen, "?" lists them. Pages work without. */
const STORED = 'lab-keys';
const WAIT_MS = 1500;

const list = document.querySelector('#lab-keys');
const toggle = document.querySelector('#lab-keys-on');
let isGoing = false;
let timer = 0;

function isOn() {
  try {
    return localStorage.getItem(STORED) !== 'off';
  } catch {
    return true;
  }
}

function keep() {
  try {
    localStorage.setItem(STORED, toggle.checked ? 'on' : 'off');
  } catch {
    // A browser that stores nothing forgets the choice with the page.
  }
}

function isTyping(target) {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [role="grid"]') !== null;
}

function findLink(letter) {
  return [...document.querySelectorAll('[data-key]')].find((link) => link.dataset.key === letter);
}

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || !toggle.checked) return;
  const wasGoing = isGoing;
  isGoing = false;
  clearTimeout(timer);
  const act = wasGoing ? findScreen(event.key) : findAction(event.key);
  if (act === undefined) return;
  event.preventDefault();
  act();
}

function findScreen(key) {
  const link = findLink(key);
  return link === undefined ? undefined : () => location.assign(link.href);
}

function findAction(key) {
  if (key === '/') return () => document.querySelector('#lab-search').focus();
  if (key === '?') return () => list.togglePopover();
  if (key !== 'g') return undefined;
  return () => {
    isGoing = true;
    timer = setTimeout(() => {
      isGoing = false;
    }, WAIT_MS);
  };
}

toggle.checked = isOn();
toggle.closest('label').hidden = false;
toggle.addEventListener('change', keep);
document.addEventListener('keydown', press);
