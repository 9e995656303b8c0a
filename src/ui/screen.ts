/** What a screen of the lab is, and how its pages and forms become routes. */
import { fail, Failure, type Problem } from '#core/failures.ts';
import type { Operation } from '#core/operation.ts';
import { runAction, type Action } from './action.ts';
import { renderWideRefusal } from './form.ts';
import { UPLOAD_BYTES_MAX } from '#core/size.ts';
import {
  addPersonalForm,
  addPortalFilesForm,
  addPortalForm,
  addPortalPage,
  addPortalUpload,
  type FilesFormContext,
  type FormContext,
  type Outcome,
  type PersonalContext,
  type PersonalFormContext,
  type PortalContext,
  type PortalFormOptions,
} from './context.ts';
import type { FormFile } from './upload-form.ts';
import { getField, type Form } from './http.ts';
import { markup } from './markup.ts';
import type { PageContent } from './layout.ts';
import type { PagesParts } from './parts.ts';
import { canCall, type Session } from './session.ts';
import type { ScreenGroup } from './navigation.ts';
import type { Routes } from '#ui/routes.ts';

type Needed = Pick<Operation, 'permission' | 'alsoNeeds'>;

export interface LabScreen {
  readonly path: string;
  readonly label: string;
  readonly group: ScreenGroup;
  /** `g` and then this letter opens it; no two screens have the same. */
  readonly letter: string;
  /** The operation that the screen reads from: who may not call it neither sees a link nor gets an answer. */
  readonly reads: Needed;
  /** Adds its pages and forms. */
  readonly add: (routes: LabRoutes) => void;
}

/** A form that was refused: what was typed, and why. */
export interface Remark {
  /** The address that the form was sent to. */
  readonly action: string;
  readonly message: string;
  readonly problems: readonly Problem[];
  readonly typed: Form;
  /** Whatever shows it says so; one that nothing has shown stands on top of its page. */
  readonly markSaid: () => void;
}

export interface FormOptions {
  readonly bytesMax?: number;
}

export interface LabRoutes {
  readonly parts: PagesParts;
  /** A page of the screen, for people who may call `reads`; the operation of the screen unless another is given. */
  addPage(path: string, show: (context: PortalContext) => Promise<Outcome>, reads?: Needed): void;
  /**
   * A form of the screen, for people who may call `does`. `act` returns the next address, a page, or a reply that was
   * sent; what it refuses is shown by `show` beside the form.
   */
  addForm(
    path: string,
    does: Needed,
    act: (context: FormContext) => Promise<string | Outcome>,
    show: (context: PortalContext, remark: Remark) => Promise<PageContent>,
    options?: FormOptions,
  ): void;
  /** The forms of actions; what one refuses is shown by `show` beside it. */
  addActions(
    actions: readonly Action[],
    show: (context: PortalContext, remark: Remark) => Promise<PageContent>,
  ): void;
  /** A form with one file of at most `UPLOAD_BYTES_MAX` bytes; `act` returns the next address or a page. */
  addUpload(
    path: string,
    does: Needed,
    act: (context: FormContext, file: FormFile) => Promise<string | PageContent>,
    show: (context: PortalContext, remark: Remark) => Promise<PageContent>,
  ): void;
}

export function createLabRoutes(
  routes: Routes,
  parts: PagesParts,
  screens: readonly LabScreen[],
  screen: LabScreen,
): LabRoutes {
  const addFrame = (session: Session, page: PageContent): PageContent => ({
    ...page,
    scripts: [...(page.scripts ?? []), 'lab-keys'],
    lab: { screens: screens.filter(({ reads }) => canCall(session, reads)), here: screen.path },
  });
  const addOuterFrame = (session: Session, outcome: Outcome): Outcome =>
    'title' in outcome ? addFrame(session, outcome) : outcome;
  const lab: LabRoutes = {
    parts,
    addPage(path, show, reads = screen.reads) {
      addPortalPage(routes, parts, path, async (context) => {
        requireScreen(context.session, reads);
        return addOuterFrame(context.session, await show(context));
      });
    },
    addForm(path, does, act, show, options = {}) {
      addPortalForm(
        routes,
        parts,
        path,
        async (context) => {
          requireScreen(context.session, does);
          try {
            const next = await act(context);
            return typeof next === 'string' ? next : addOuterFrame(context.session, next);
          } catch (error) {
            return addFrame(context.session, await showRefused(context, error, show));
          }
        },
        { ...options, organization: 'any' },
      );
    },
    addActions(actions, show) {
      for (const action of actions)
        lab.addForm(action.path, action.operation, (context) => runAction(context, action), show);
    },
    addUpload(path, does, act, show) {
      addPortalUpload(routes, parts, path, UPLOAD_BYTES_MAX, async (context, receive) => {
        requireScreen(context.session, does);
        try {
          const { form, file } = await receive();
          const next = await act({ ...context, form }, file);
          return typeof next === 'string' ? next : addFrame(context.session, next);
        } catch (error) {
          return addFrame(context.session, await showRefused({ ...context, form: {} }, error, show));
        }
      });
    },
  };
  return lab;
}

/** Adds a form of the portal whose refusal is shown by `show` beside what was typed. */
export function addRefusableForm(
  routes: Routes,
  parts: PagesParts,
  path: string,
  act: (context: FormContext) => Promise<string | Outcome>,
  show: (context: PortalContext, remark: Remark) => Promise<PageContent>,
  options: PortalFormOptions = {},
): void {
  const answer = (context: FormContext): Promise<string | Outcome> =>
    act(context).catch((error: unknown) => showRefused(context, error, show));
  addPortalForm(routes, parts, path, answer, options);
}

/** Adds a form with small files in the same way; `prepare` makes fields of the files, which a refusal shows as well. */
export function addRefusableFilesForm<Context extends FormContext>(
  routes: Routes,
  parts: PagesParts,
  path: string,
  bytesMax: number,
  {
    prepare,
    act,
    show,
  }: {
    readonly prepare: (context: FilesFormContext) => Promise<Context>;
    readonly act: (context: Context) => Promise<string | Outcome>;
    readonly show: (context: Context, remark: Remark) => Promise<PageContent>;
  },
): void {
  addPortalFilesForm(routes, parts, path, bytesMax, async (received) => {
    const context = await prepare(received);
    return act(context).catch((error: unknown) => showRefused(context, error, show));
  });
}

/** Adds a form about the person in the same way. */
export function addRefusablePersonalForm(
  routes: Routes,
  parts: PagesParts,
  path: string,
  act: (context: PersonalFormContext) => Promise<string | Outcome>,
  show: (context: PersonalContext, remark: Remark) => Promise<PageContent>,
): void {
  addPersonalForm(routes, parts, path, (context) =>
    act(context).catch((error: unknown) => showRefused(context, error, show)),
  );
}

/** Adds the forms of actions to the portal; what one refuses is shown by `show` beside it. */
export function addPortalActions(
  routes: Routes,
  parts: PagesParts,
  actions: readonly Action[],
  show: (context: PortalContext, remark: Remark) => Promise<PageContent>,
): void {
  for (const action of actions)
    addRefusableForm(routes, parts, action.path, (context) => runAction(context, action), show);
}

/** A page of the lab answers a client like an address that does not exist. */
function requireScreen(session: Session, needed: Needed): void {
  if (!canCall(session, needed)) throw fail('route_not_found', { method: 'GET', path: '' });
}

/**
 * Shows the page of a form that was refused. The form may be gone from it, where somebody else has changed the row or
 * it stands further down the list; the refusal then stands on top.
 */
async function showRefused<Context extends Pick<FormContext, 'request' | 'form'>>(
  context: Context,
  error: unknown,
  show: (context: Context, remark: Remark) => Promise<PageContent>,
): Promise<PageContent> {
  const { remark, status, isSaid } = createRemark(context, error);
  const page = await show(context, remark);
  const body = isSaid()
    ? page.body
    : markup`<div class="stack">${renderWideRefusal(remark)}<div>${page.body}</div></div>`;
  return { ...page, body, status };
}

const SENT_BEFORE = 'This form has been sent before. Press the button again to send it as it is now.';

/** What a person can mend is shown beside the form; everything else has a page of its own. */
function createRemark({ request, form }: Pick<FormContext, 'request' | 'form'>, error: unknown) {
  if (!(error instanceof Failure) || error.status >= 500 || error.status === 429) throw error;
  const [action = ''] = request.url.split('?');
  let isSaid = false;
  const remark: Remark = {
    action,
    message: error.code === 'idempotency_key_reused' ? SENT_BEFORE : writeSentence(error),
    problems: error.problems.length > 0 ? error.problems : findTaken(error, form),
    typed: form,
    markSaid: () => {
      isSaid = true;
    },
  };
  return { remark, status: error.status, isSaid: () => isSaid };
}

/** A sentence that names what was typed into a field, such as a number that is taken, stands beside this field. */
function findTaken({ message, parameters }: Failure, typed: Form): Problem[] {
  const isTyped = (name: string, value: string | number): boolean =>
    value !== '' && getField(typed, name).toLowerCase() === String(value).toLowerCase();
  return Object.entries(parameters).flatMap(([path, value]) =>
    isTyped(path, value) ? [{ path, message }] : [],
  );
}

/** The catalog's sentences mention tokens; a person with a browser needs others. */
export function writeSentence({ code, message, parameters }: Failure): string {
  if (code !== 'permission_denied') return message;
  return `Your role in this organization does not allow it. This needs the permission ${parameters['permission']}.`;
}
