/** A form with one file. */
import type { StagedFile } from '#core/blobs.ts';
import type { Form } from './http.ts';

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
