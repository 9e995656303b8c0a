/** The form that adds raw files to a run: a file is looked at first, or added at once. */
import { markup, type Markup } from './markup.ts';
import { renderFormFields, renderField, renderRefusal, type FormsView } from './form.ts';
import type { StagedFile } from '#core/blobs.ts';
import type { Form } from './http.ts';

const FILE = {
  name: 'file',
  label: 'Raw instrument file',
  kind: 'file',
  hint: 'Choose it, or drag files here. A file of the same name becomes a new version; a Gator folder comes as one zip.',
  isRequired: true,
} as const;

interface UploadAddresses {
  /** Adds the file. */
  readonly action: string;
  /** Shows the file and keeps nothing. */
  readonly preview: string;
}

/** The script shows what files hold as soon as they are chosen or dropped. */
export function renderUploadForm(
  { session, createKey, remark }: FormsView,
  { action, preview }: UploadAddresses,
): Markup {
  const formRemark = remark?.action === action || remark?.action === preview ? remark : undefined;
  return markup`<form method="post" action="${action}" class="fields" enctype="multipart/form-data" data-upload data-preview="${preview}">${renderFormFields(session, createKey())}
${formRemark !== undefined && renderRefusal(formRemark)}
${renderField(action, FILE, formRemark)}
<div class="actions"><button class="primary">Upload</button><button formaction="${preview}">Look first</button></div>
<div class="upload-said" role="status"></div></form>`;
}

export interface FormFile {
  readonly name: string;
  readonly staged: StagedFile;
}

export interface FileForm {
  readonly form: Form;
  readonly file: FormFile;
}

export interface FileFormOptions {
  readonly bytesMax: number;
  /** Throws where the fields before the file do not allow it. */
  readonly admit: (form: Form) => void;
}

/** A form with files that are small enough to be held in memory. */
export interface FilesForm {
  readonly form: Form;
  readonly files: readonly SmallFile[];
}

export interface SmallFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}
