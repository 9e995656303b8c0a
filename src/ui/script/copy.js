/* Copies the text of an element. Pages work without this: the text can be selected. */

/** Shows the buttons within an element, and lets them copy. */
export function offerCopies(root) {
  const places = [...document.querySelectorAll('[data-copied]')];
  for (const button of root.querySelectorAll('[data-copy]')) {
    const source = document.getElementById(button.dataset.copy);
    const near = button.closest('section')?.querySelector('[data-copied]');
    const said = near ?? places.at(-1);
    button.hidden = false;
    button.addEventListener('click', () => void copy(source, said));
  }
}

async function copy(source, said) {
  try {
    await navigator.clipboard.writeText(source.textContent);
    said.textContent = 'Copied.';
  } catch {
    // A page without https, or a browser that asks first and was told no.
    getSelection().selectAllChildren(source);
    said.textContent = 'The browser does not allow it: the text is selected, copy it with the keyboard.';
  }
}

offerCopies(document);
