/* Replaces what differs between two versions of the content, and nothing that a person is using. */

/** What other scripts have filled is theirs. */
const KEPT = '[data-live-keep], .upload-shown';
const KEY_FIELD = 'idempotency_key';

/** Forms on their way; their keys must stay, so that a second click acts once. */
const sent = new WeakSet();
document.addEventListener('submit', (event) => sent.add(event.target));

/**
 * Makes `old` like `next`. Answers whether anything changed, and whether a form that would have changed was left because
 * somebody types in it.
 */
export function updateContent(old, next) {
  const outcome = { hasChanged: false, isHeld: false };
  const focused = document.activeElement;
  updateChildren(old, next, outcome);
  // What had the focus is gone: the next key goes on in the content, not at the top of the page.
  if (focused !== null && !focused.isConnected) old.focus({ preventScroll: true });
  return outcome;
}

function updateChildren(old, next, outcome) {
  let at = old.firstChild;
  for (const child of next.childNodes) {
    const match = findMatch(at, child);
    if (match === null) {
      old.insertBefore(document.importNode(child, true), at);
      outcome.hasChanged ||= isElement(child);
      continue;
    }
    while (at !== match) at = drop(at, outcome);
    at = match.nextSibling;
    update(match, child, outcome);
  }
  while (at !== null) at = drop(at, outcome);
}

/** Removes a node unless somebody uses it, and returns the next one. */
function drop(node, outcome) {
  const following = node.nextSibling;
  if (isElement(node) && isInUse(node)) {
    // Only what somebody types in counts: nobody waits for the rest.
    outcome.isHeld ||= !node.matches(KEPT);
  } else {
    node.remove();
    outcome.hasChanged ||= isElement(node);
  }
  return following;
}

const isElement = (node) => node.nodeType === Node.ELEMENT_NODE;

/** Finds the present form of `child` among `at` and what follows it. */
function findMatch(at, child) {
  if (!isElement(child)) return at !== null && at.nodeType === child.nodeType ? at : null;
  const key = getKey(child);
  for (let node = at; node !== null; node = node.nextSibling)
    if (node.nodeName === child.nodeName && getKey(node) === key) return node;
  return null;
}

/** What tells an element from its neighbors: a name, or else its kind. */
function getKey(element) {
  const name =
    element.id ||
    element.getAttribute('aria-labelledby') ||
    element.getAttribute('action') ||
    element.getAttribute('name');
  if (name !== null && name !== '') return name;
  if (element.matches('tr, li')) return element.querySelector('a[href]')?.getAttribute('href') ?? '';
  if (element.matches('details')) return element.querySelector('summary')?.textContent ?? '';
  return element.getAttribute('aria-label') ?? `.${element.className}`;
}

function update(old, next, outcome) {
  if (old.isEqualNode(next)) return;
  if (!isElement(old)) {
    old.nodeValue = next.nodeValue;
    outcome.hasChanged ||= next.nodeValue.trim() !== '';
    return;
  }
  if (old.matches(KEPT)) return;
  if (old.matches('form') && isHeld(old)) {
    outcome.isHeld ||= describeForm(old) !== describeForm(next);
    return;
  }
  updateAttributes(old, next);
  updateChildren(old, next, outcome);
}

function updateAttributes(old, next) {
  // A form that stays keeps its key: it was not sent.
  if (old.name === KEY_FIELD && old.type === 'hidden') return;
  // What a script last said stays its own.
  const isOwn = (name) => name === 'data-said' || (name === 'open' && old.nodeName === 'DETAILS');
  for (const name of Array.from(old.attributes, (attribute) => attribute.name))
    if (!next.hasAttribute(name) && !isOwn(name)) old.removeAttribute(name);
  for (const { name, value } of next.attributes)
    if (old.getAttribute(name) !== value && !isOwn(name)) old.setAttribute(name, value);
}

/** Whether an element is, or holds, what must stay. */
function isInUse(element) {
  if (element.matches(KEPT) || element.querySelector(KEPT) !== null) return true;
  const forms = element.matches('form') ? [element] : [...element.querySelectorAll('form')];
  return forms.some(isHeld);
}

/** Whether somebody has filled in a part of the form, or is in one of its fields, or has sent it. */
function isHeld(form) {
  if (sent.has(form) || form.matches('[data-review], [data-upload]')) return true;
  return [...form.elements].some(
    (field) => isFilled(field) || (field === document.activeElement && isTyped(field)),
  );
}

const isTyped = (field) => field.matches('input:not([type=hidden]), textarea, select');

function isFilled(field) {
  if (field.nodeName === 'SELECT') {
    const chosen = [...field.options].findIndex((option) => option.defaultSelected);
    return field.selectedIndex !== Math.max(0, chosen);
  }
  if (!isTyped(field)) return false;
  if (field.type === 'file') return field.files.length > 0;
  if (field.type === 'checkbox' || field.type === 'radio') return field.checked !== field.defaultChecked;
  return field.value !== field.defaultValue;
}

/** What a form asks and what it holds before anybody types. */
function describeForm(form) {
  const fields = [...form.elements].filter((field) => field.type !== 'hidden');
  const asked = fields.map(
    (field) => `${field.name}=${field.defaultValue ?? ''},${field.defaultChecked ?? ''}`,
  );
  return [form.matches('[data-upload]') ? '' : form.textContent, ...asked].join('\n');
}
