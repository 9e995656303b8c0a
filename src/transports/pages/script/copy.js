/* Copies the text of an element. Pages work without this: the text can be selected. */
for (const button of document.querySelectorAll('[data-copy]')) {
  const source = document.getElementById(button.dataset.copy);
  const said = document.querySelector('[data-copied]');
  button.hidden = false;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(source.textContent);
      said.textContent = 'Copied.';
    } catch {
      // A page without https, or a browser that asks first and was told no.
      getSelection().selectAllChildren(source);
      said.textContent = 'The browser does not allow it: the text is selected, copy it with the keyboard.';
    }
  };
  button.addEventListener('click', () => void copy());
}
