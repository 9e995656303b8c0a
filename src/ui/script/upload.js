/*
 * Raw files that are chosen or dropped are shown as the analysis reads them, before they are added. Several are added
 * one after the other. Without this script one file is added at a time, and "Look first" shows it on a page of its own.
 */
for (const form of document.querySelectorAll('form[data-upload]')) {
  const input = form.querySelector('input[type=file]');
  const said = form.querySelector('.upload-said');
  const shown = document.createElement('div');
  shown.className = 'stack upload-shown';
  form.after(shown);
  form.classList.add('drop-zone');
  input.multiple = true;
  let round = 0;

  function fill(file) {
    const body = new FormData();
    for (const field of form.querySelectorAll('input[type=hidden]')) body.append(field.name, field.value);
    body.append('file', file);
    return body;
  }

  const readPage = async (answer) => new DOMParser().parseFromString(await answer.text(), 'text/html');
  const findProblem = (page) =>
    page.querySelector('[role=alert], main .lead')?.textContent ?? 'The file was not read.';

  function showProblem(file, text) {
    const problem = document.createElement('p');
    problem.className = 'problem';
    problem.textContent = `${file.name}: ${text}`;
    shown.append(problem);
  }

  async function look() {
    const files = [...input.files];
    round += 1;
    const mine = round;
    shown.replaceChildren();
    for (const [index, file] of files.entries()) {
      said.textContent = `Reading ${file.name}, ${index + 1} of ${files.length}.`;
      try {
        const page = await readPage(await fetch(form.dataset.preview, { method: 'POST', body: fill(file) }));
        if (mine !== round) return;
        const preview = page.getElementById('preview');
        if (preview === null) showProblem(file, findProblem(page));
        else {
          preview.id = `preview-${index}`;
          const title = preview.querySelector('h2');
          title.id = `preview-title-${index}`;
          title.textContent = `${file.name}, not added yet`;
          preview.setAttribute('aria-labelledby', title.id);
          shown.append(document.importNode(preview, true));
        }
      } catch {
        showProblem(file, 'the service did not answer; try again.');
      }
    }
    if (files.length > 0)
      said.textContent = `${files.length === 1 ? 'One file was' : `${files.length} files were`} read. Nothing is added yet.`;
  }

  async function addAll(event) {
    const files = [...input.files];
    if (files.length < 2 || event.submitter?.hasAttribute('formaction')) return;
    event.preventDefault();
    shown.replaceChildren();
    let refused = 0;
    for (const [index, file] of files.entries()) {
      said.textContent = `Adding ${file.name}, ${index + 1} of ${files.length}.`;
      try {
        const answer = await fetch(form.action, { method: 'POST', body: fill(file) });
        if (answer.ok) continue;
        showProblem(file, findProblem(await readPage(answer)));
      } catch {
        showProblem(
          file,
          'the service did not answer; look at the files of the run before you add it again.',
        );
      }
      refused += 1;
    }
    if (refused === 0) location.reload();
    else said.textContent = `${files.length - refused} of ${files.length} files were added.`;
  }

  input.addEventListener('change', () => void look());
  form.addEventListener('submit', (event) => void addAll(event));
  for (const name of ['dragenter', 'dragover'])
    form.addEventListener(name, (event) => {
      event.preventDefault();
      form.classList.add('over');
    });
  form.addEventListener('dragleave', () => form.classList.remove('over'));
  form.addEventListener('drop', (event) => {
    form.classList.remove('over');
    if (event.dataTransfer.files.length === 0) return;
    event.preventDefault();
    input.files = event.dataTransfer.files;
    void look();
  });
}
