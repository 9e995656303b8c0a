/* Puts the text of a chosen or dropped file into a field. Pages work without this: the text can be pasted. */
for (const part of document.querySelectorAll('[data-file-for]')) {
  const field = document.getElementById(part.dataset.fileFor);
  const input = part.querySelector('input');
  const said = part.querySelector('[role=status]');
  const zone = field.closest('.field');
  part.hidden = false;

  const take = async (file) => {
    if (file === undefined) return;
    if (file.size > Number(part.dataset.bytesMax)) {
      said.textContent = `${file.name} is too large for this page: split it, or send it by the API.`;
      return;
    }
    field.value = await file.text();
    said.textContent = `${file.name} is in the field below. Nothing is stored yet.`;
  };
  input.addEventListener('change', () => void take(input.files[0]));
  zone.addEventListener('dragover', (event) => event.preventDefault());
  zone.addEventListener('drop', (event) => {
    if (event.dataTransfer.files.length === 0) return;
    event.preventDefault();
    void take(event.dataTransfer.files[0]);
  });
}
