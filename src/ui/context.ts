/** The shape of a portal route: it has a session and operations, and returns a page or a redirect. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createCaller, type Caller } from './caller.ts';
import type { FileForm, SmallFile } from './upload-form.ts';
import { FORM_BYTES_MAX, redirectAfterForm, type Form } from './http.ts';
import type { PageContent } from './layout.ts';
import type { PagesParts } from './parts.ts';
import { sendContent } from './send.ts';
import {
  admitForm,
  OtherOrganizationError,
  requireFormToken,
  requireOrganizationForm,
  requireOwnForm,
  requirePersonalForm,
  requireSession,
  requireSignedIn,
  type Session,
  type SignedIn,
} from './session.ts';
import type { Routes } from '#ui/routes.ts';

export interface PortalContext {
  readonly parts: PagesParts;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly session: Session;
  readonly api: Caller;
}

export interface FormContext extends PortalContext {
  readonly form: Form;
}

/** A page, or a reply that was sent already. */
export type Outcome = PageContent | FastifyReply;

export function addPortalPage(
  routes: Routes,
  parts: PagesParts,
  path: string,
  show: (context: PortalContext) => Promise<Outcome>,
): void {
  routes.get(path, async (request, reply) => {
    const session = await requireSession(parts, request);
    const api = createCaller(parts, request, session);
    return answer({ parts, request, reply, session, api }, show);
  });
}

export interface PortalFormOptions {
  readonly bytesMax?: number;
  /** `any` for a form that does the same in each organization of the person, such as those of the lab. */
  readonly organization?: 'shown' | 'any';
}

/** A form that acts; it returns the next address, the page with the problems, or a reply that was sent already. */
export function addPortalForm(
  routes: Routes,
  parts: PagesParts,
  path: string,
  act: (context: FormContext) => Promise<string | Outcome>,
  { bytesMax = FORM_BYTES_MAX, organization = 'shown' }: PortalFormOptions = {},
): void {
  const requireForm = organization === 'any' ? requireOwnForm : requireOrganizationForm;
  const options = { bodyLimit: bytesMax, onRequest: (request: FastifyRequest) => admitForm(parts, request) };
  routes.post(path, options, async (request, reply) => {
    const { session, form } = await requireForm(parts, request);
    const api = createCaller(parts, request, session);
    const context = { parts, request, reply, session, api };
    const next = await act({ ...context, form });
    if (typeof next === 'string') return redirectAfterForm(reply, next);
    return answer(context, async () => dropLive(next));
  });
}

export interface FilesFormContext extends FormContext {
  readonly files: readonly SmallFile[];
}

/** A form that acts, with files that are held in memory; it may also come without any. */
export function addPortalFilesForm(
  routes: Routes,
  parts: PagesParts,
  path: string,
  bytesMax: number,
  act: (context: FilesFormContext) => Promise<string | Outcome>,
): void {
  const onRequest = (request: FastifyRequest): Promise<void> => admitForm(parts, request);
  routes.post(path, { onRequest, leavesBody: true }, async (request, reply) => {
    const session = await requireSession(parts, request);
    const { form, files } = await parts.receiveFilesForm(request, bytesMax);
    const shownFor = requireFormToken(session, form);
    if (shownFor !== session.principal.organizationId) throw new OtherOrganizationError(shownFor);
    const context = { parts, request, reply, session, api: createCaller(parts, request, session) };
    const next = await act({ ...context, form, files });
    if (typeof next === 'string') return redirectAfterForm(reply, next);
    return answer(context, async () => dropLive(next));
  });
}

/** A form of the lab with one file, which `receive` brings after the checks that need no body. */
export function addPortalUpload(
  routes: Routes,
  parts: PagesParts,
  path: string,
  bytesMax: number,
  act: (context: PortalContext, receive: () => Promise<FileForm>) => Promise<string | PageContent>,
): void {
  const onRequest = (request: FastifyRequest): Promise<void> => admitForm(parts, request);
  routes.post(path, { onRequest, leavesBody: true, config: { isUpload: true } }, async (request, reply) => {
    const session = await requireSession(parts, request);
    const context = { parts, request, reply, session, api: createCaller(parts, request, session) };
    const admit = (form: Form): void => void requireFormToken(session, form);
    const received: FileForm[] = [];
    const receive = async (): Promise<FileForm> => {
      const form = await parts.receiveFileForm(request, { bytesMax, admit });
      received.push(form);
      return form;
    };
    try {
      const next = await act(context, receive);
      if (typeof next === 'string') return redirectAfterForm(reply, next);
      return await answer(context, async () => dropLive(next));
    } finally {
      for (const { file } of received) await file.staged.drop();
    }
  });
}

/** The answer to a form cannot be read anew at its address. */
function dropLive(outcome: Outcome): Outcome {
  return isPage(outcome) ? { ...outcome, live: undefined } : outcome;
}

async function answer(
  context: PortalContext,
  show: (context: PortalContext) => Promise<Outcome>,
): Promise<FastifyReply> {
  return send(context.parts, context.reply, context.session, await show(context));
}

function send(parts: PagesParts, reply: FastifyReply, signedIn: SignedIn, outcome: Outcome): FastifyReply {
  if (!isPage(outcome)) return outcome;
  const frame = { site: parts.work.site, visitor: signedIn.visitor };
  return sendContent(reply, frame, outcome);
}

export interface PersonalContext {
  readonly parts: PagesParts;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly signedIn: SignedIn;
}

export interface PersonalFormContext extends PersonalContext {
  readonly form: Form;
}

/** A page about the person, which needs no organization. */
export function addPersonalPage(
  routes: Routes,
  parts: PagesParts,
  path: string,
  show: (context: PersonalContext) => Promise<PageContent>,
): void {
  routes.get(path, async (request, reply) => {
    const signedIn = await requireSignedIn(parts, request);
    return send(parts, reply, signedIn, await show({ parts, request, reply, signedIn }));
  });
}

export function addPersonalForm(
  routes: Routes,
  parts: PagesParts,
  path: string,
  act: (context: PersonalFormContext) => Promise<string | Outcome>,
  { bytesMax = FORM_BYTES_MAX }: Pick<PortalFormOptions, 'bytesMax'> = {},
): void {
  const onRequest = (request: FastifyRequest): Promise<void> => admitForm(parts, request);
  routes.post(path, { onRequest, bodyLimit: bytesMax }, async (request, reply) => {
    const { signedIn, form } = await requirePersonalForm(parts, request);
    const next = await act({ parts, request, reply, signedIn, form });
    return typeof next === 'string' ? redirectAfterForm(reply, next) : send(parts, reply, signedIn, next);
  });
}

function isPage(outcome: Outcome): outcome is PageContent {
  return 'title' in outcome;
}
