/** What pages need of the service. */
import type { FastifyRequest } from 'fastify';
import type { Work } from '#core/context.ts';
import type { Operation } from '#core/operation.ts';
import type { Reply } from '#core/reply.ts';
import type { Database } from '#core/sql.ts';
import type { CallInput } from './caller.ts';
import type { FileForm, FileFormOptions, FilesForm } from './upload-form.ts';
import type { Session, SignedIn } from './session.ts';

/** A feature adds what its own pages need, by a declaration of this interface in their module. */
export interface PagesParts {
  readonly work: Work;
  readonly database: Database;
  /** Finds the session of the request's cookie; null without one that stands. */
  lookUpSession(request: FastifyRequest): Promise<SignedIn | null>;
  /** Counts the body of a request as that of a person. */
  setBodyOwner(request: FastifyRequest, owner: string): void;
  /** Receives a form with a file; the caller drops the file after the answer. */
  receiveFileForm(request: FastifyRequest, options: FileFormOptions): Promise<FileForm>;
  /** Receives a form of at most `bytesMax` bytes, with or without files. */
  receiveFilesForm(request: FastifyRequest, bytesMax: number): Promise<FilesForm>;
  /** Calls an operation for the person, as the API would. */
  callOperation(
    operation: Pick<Operation, 'id'>,
    input: CallInput,
    caller: { readonly request: FastifyRequest; readonly session: Pick<Session, 'principal'> },
  ): Promise<Reply>;
}
