/**
 * The frame of every page: head, header, sandbox banner, footer.
 * This folder: the kit of pages: markup, frame, forms, lists, sessions. Not here: any noun, and its pages.
 */
import type { Site } from '#core/context.ts';
import { Markup, markup, type Part } from './markup.ts';
import { getScriptPath, ICON_PATH, STYLE_PATH, type ScriptName } from './assets.ts';
import { renderLabBody, renderLabHeader, renderSides, type LabFrame } from './navigation.ts';

export interface Visitor {
  readonly email: string;
  /** Null for a person without a current organization. */
  readonly organization: string | null;
  readonly organizationId: string | null;
  /** The token in every form of this session, bound to the organization. */
  readonly formToken: string;
  /** Whether the person is of the staff, who have the pages of the lab as well. */
  readonly isStaff: boolean;
}

/** The address of a stream that says when to read the page anew, or how often to do so where there is none. */
export interface Streamed {
  readonly stream: string;
  /** The shortest time from one reading of the page to the next, however much happens. */
  readonly betweenMs?: number;
}
export type Live = Streamed | { readonly everySeconds: number };

export interface PageContent {
  readonly title: string;
  readonly body: Markup;
  /** Without a script: reload after this many seconds; set only while the state changes without the reader. */
  readonly refreshSeconds?: number | undefined;
  /** How the page learns that it has changed, by its script; without, it stays as it was opened. */
  readonly live?: Live | undefined;
  readonly section?: 'experiments' | 'designs' | 'targets' | 'invoices' | 'docs' | 'account' | 'organization';
  /** `narrow` for a single card in the middle: payment, sign-in, errors. */
  readonly width?: 'narrow' | 'wide';
  readonly status?: number;
  /** Reads what the page shows in the API: the path below the prefix, and the id. */
  readonly api?: { readonly path: string; readonly id: string };
  /** What the page offers beyond plain HTML; it is complete without. */
  readonly scripts?: readonly ScriptName[];
  /** Set on the pages of the lab, which have a navigation of their own. */
  readonly lab?: LabFrame;
}

export interface Frame {
  /** Says whether the page is of a sandbox, and the name of the lab. */
  readonly site: Pick<Site, 'environment' | 'letterhead' | 'baseUrl'>;
  readonly visitor: Visitor | null;
  /** True for pages for people without an account, such as the payment page: they have no navigation. */
  readonly isBare?: boolean;
}

const SECTIONS = [
  ['experiments', '/', 'Experiments'],
  ['designs', '/designs', 'Designs'],
  ['targets', '/targets', 'Targets'],
  ['invoices', '/invoices', 'Invoices'],
  ['organization', '/organization', 'Organization'],
  ['docs', '/docs', 'API'],
] as const;

export function renderPage(frame: Frame, page: PageContent): string {
  const isSandbox = frame.site.environment === 'sandbox';
  const organization = frame.visitor?.organization ?? null;
  const lab = frame.site.letterhead.seller.name;
  const title = `${isSandbox ? 'Sandbox: ' : ''}${page.title} · Assayer`;
  const refresh =
    page.refreshSeconds === undefined
      ? null
      : markup`<noscript><meta http-equiv="refresh" content="${page.refreshSeconds}"></noscript>`;
  return markup`${new Markup('<!doctype html>')}
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
${refresh}
<title>${title}</title>
<link rel="icon" href="${ICON_PATH}" type="image/svg+xml">
<link rel="stylesheet" href="${STYLE_PATH}">
${listScripts(page).map((name) => markup`<script type="module" src="${getScriptPath(name)}"></script>`)}
</head>
<body class="${isSandbox ? 'sandbox' : 'live'}"${renderOrganization(frame, page)}>
<a class="skip" href="#content">Skip to the content</a>
${renderHeader(frame, page)}
${page.lab === undefined ? renderMain(frame, page) : renderLabBody(page.lab, renderMain(frame, page))}
<footer class="foot"><p>${lab !== null && markup`<bdi>${lab}</bdi> · `}Assayer · ${isSandbox ? 'sandbox environment' : 'live environment'} · ${organization !== null && organization !== lab && markup`<bdi>${organization}</bdi> · `}all times are UTC</p></footer>
</body>
</html>
`.text;
}

/** Tells the script of a live page when it reads a page of another organization; those of the lab belong to none. */
function renderOrganization({ visitor }: Frame, { lab }: PageContent): Markup | null {
  const id = visitor?.organizationId ?? null;
  return id === null || lab !== undefined ? null : markup` data-organization="${id}"`;
}

/** The scripts that a page needs. */
export function listScripts({ scripts = [], live, api }: PageContent): readonly ScriptName[] {
  const names = [...scripts, ...(api === undefined ? [] : (['copy'] as const))];
  return [...new Set(live === undefined ? names : [...names, 'live' as const])];
}

function renderMain({ site }: Frame, page: PageContent): Markup {
  return markup`<main id="content" class="${page.width ?? 'wide'}" tabindex="-1"${page.live !== undefined && renderLive(page.live)}>
${page.body}${page.api !== undefined && renderApi(site.baseUrl, page.api)}
</main>`;
}

/** A small button in the corner opens the id and the call that reads the same. */
function renderApi(baseUrl: string, { path, id }: NonNullable<PageContent['api']>): Markup {
  return markup`<button type="button" class="quiet api-button" popovertarget="api" title="In the API"><span aria-hidden="true">&lt;/&gt;</span> API</button>
<section class="keys api" id="api" aria-labelledby="api-title" popover><div class="card-head"><h2 id="api-title">In the API</h2><button type="button" class="quiet" popovertarget="api" popovertargetaction="hide">Close</button></div>
<p class="label">Id</p><p><code class="copy">${id}</code></p>
<p class="label">Call</p><pre class="copy" id="api-call" tabindex="0">curl -H "Authorization: Bearer $ASSAYER_TOKEN" \\
${baseUrl}/api/v1${path}</pre><p><button type="button" class="quiet" data-copy="api-call" hidden>Copy</button> <span class="hint" role="status" data-copied></span></p></section>`;
}

function renderLive(live: Live): Markup {
  return 'stream' in live
    ? markup` data-live="${live.stream}"${live.betweenMs !== undefined && markup` data-between="${live.betweenMs}"`}`
    : markup` data-poll="${1_000 * live.everySeconds}"`;
}

/** The one mark of a sandbox, on every page of it. */
const SANDBOX = markup`<span class="environment" title="The lab is simulated and payments are tests.">Sandbox<span class="visually-hidden">: the lab is simulated and payments are tests.</span></span>`;

const MARK = markup`<svg class="mark" viewBox="0 0 24 24" width="22" height="22" aria-hidden="true" focusable="false"><path d="M2 19C6 19 6.5 5 11 5s3.5 9 11 11" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round"/></svg>`;

function renderHeader(frame: Frame, page: PageContent): Markup {
  const environment = frame.site.environment === 'sandbox' && SANDBOX;
  if (page.lab !== undefined && frame.visitor !== null)
    return renderLabHeader([MARK, environment], page.lab, renderAccount(frame.visitor));
  const name = frame.isBare === true ? markup`<span class="brand">${MARK}Assayer</span>` : BRAND_LINK;
  const brand = markup`${name}${environment}`;
  return markup`<header class="top"><div class="bar">${brand}${frame.isBare !== true && renderNavigation(frame, page)}</div></header>`;
}

const BRAND_LINK = markup`<a class="brand" href="/">${MARK}Assayer</a>`;

function renderNavigation(frame: Frame, page: PageContent): Markup {
  const { visitor } = frame;
  const links: Part = SECTIONS.filter(([key]) => visitor !== null || key === 'docs').map(
    ([key, href, label]) =>
      markup`<li><a href="${href}"${key === page.section && markup` aria-current="page"`}>${label}</a></li>`,
  );
  return markup`${visitor?.isStaff === true && renderSides('portal')}<nav aria-label="Main"><ul>${links}</ul></nav>${visitor !== null && renderAccount(visitor)}`;
}

function renderAccount(visitor: Visitor): Markup {
  return markup`<div class="account"><span class="who">${visitor.organization !== null && markup`<a class="organization" href="/organizations" title="${visitor.organization}"><bdi>${visitor.organization}</bdi></a>`}<a class="email" href="/account" title="${visitor.email}">${visitor.email}</a></span>
<form method="post" action="/sign-out">${renderFormToken(visitor)}<button class="quiet">Sign out</button></form></div>`;
}

export const FORM_TOKEN_FIELD = 'form_token';

export function renderFormToken(visitor: Visitor): Markup {
  return markup`<input type="hidden" name="${FORM_TOKEN_FIELD}" value="${visitor.formToken}">`;
}
