/** Downloads of a plate, from the form beside it. */
import type { FastifyReply } from 'fastify';
import { Failure } from '#core/failures.ts';
import type { FormContext } from '#ui/context.ts';
import { getField, sendAttachment } from '#ui/http.ts';
import { buildFileRequest, parseFileFields, type FileDraft } from './files-form.ts';

interface WrittenFile {
  readonly file_name: string;
  readonly media_type: string;
  readonly content: string;
}

/** Sends the file that the form asks for; returns the form with the reasons where none can be written. */
export async function sendPlateFile(
  { form, reply }: FormContext,
  write: (body: Readonly<Record<string, unknown>>) => Promise<WrittenFile>,
): Promise<FastifyReply | FileDraft> {
  const kind = getField(form, 'kind');
  const fields = parseFileFields(form);
  const { body, problems } = buildFileRequest(kind, fields);
  if (problems.length > 0) return { fields, problems };
  try {
    const file = await write({ plate: getField(form, 'shown'), kind, ...body });
    return sendAttachment(reply, {
      fileName: file.file_name,
      contentType: file.media_type,
      content: file.content,
    });
  } catch (error) {
    if (!(error instanceof Failure) || ![400, 422].includes(error.status)) throw error;
    const sentences = error.problems.map(({ path, message }) =>
      error.code === 'invalid_request' ? `${path} ${message}` : message,
    );
    return { fields, problems: sentences.length === 0 ? [error.message] : sentences };
  }
}

export function isFileDraft(sent: FastifyReply | FileDraft): sent is FileDraft {
  return 'fields' in sent;
}
