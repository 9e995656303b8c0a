/** Webhooks in the portal: endpoints, what they receive, and what came of each delivery. */
import { fail, Failure } from '#core/failures.ts';
import { eventTypes } from '../../updates/types.ts';
import {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  rollWebhookSecret,
  updateWebhook,
  type OrgWebhook,
  triggerEvent,
} from '../contract.ts';
import { getDelivery, listWebhookDeliveries, resendDelivery, testWebhook } from '../delivery-contract.ts';
import { webhookFormats } from '../rules.ts';
import { addPortalForm, addPortalPage, type FormContext, type PortalContext } from '#ui/context.ts';
import { findSentence, getField, getPathParameter, queryParameter, type Form } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import type { PagesParts } from '#ui/parts.ts';
import { readKey } from '#ui/form.ts';
import { renderDeliveryPage, renderEndpointPage, renderSecretPage } from './endpoint-view.ts';
import { EVENT_FIELD, renderWebhooksPage, WEBHOOKS_PATH, type WebhookRemark } from './webhooks-view.ts';
import type { Routes } from '#ui/routes.ts';

const DELIVERIES_SHOWN = 25;

const DONE: Readonly<Record<string, string>> = {
  saved: 'The endpoint was saved.',
  tested: 'A test is on its way; its delivery stands below.',
  enabled: 'The endpoint receives events again.',
  disabled: 'The endpoint receives nothing until you switch it on.',
  triggered: 'The event is on its way; it reaches the endpoints that chose it within seconds.',
  deleted: 'The endpoint was deleted with its deliveries.',
  sent: 'The delivery is sent again.',
};

export function addWebhookPages(routes: Routes, parts: PagesParts): void {
  const endpoint = `${WEBHOOKS_PATH}/:id`;
  const delivery = `${WEBHOOKS_PATH}/deliveries/:id`;
  addPortalPage(routes, parts, WEBHOOKS_PATH, (context) => loadWebhooksPage(context));
  addPortalForm(routes, parts, `${WEBHOOKS_PATH}/create`, create);
  addPortalForm(routes, parts, `${WEBHOOKS_PATH}/trigger`, trigger);
  addPortalPage(routes, parts, endpoint, (context) => loadEndpointPage(context));
  addPortalForm(routes, parts, `${endpoint}/save`, save);
  addPortalForm(routes, parts, `${endpoint}/test`, sendTest);
  addPortalForm(routes, parts, `${endpoint}/enable`, (context) => setEnabled(context, true));
  addPortalForm(routes, parts, `${endpoint}/disable`, (context) => setEnabled(context, false));
  addPortalForm(routes, parts, `${endpoint}/roll`, roll);
  addPortalForm(routes, parts, `${endpoint}/delete`, remove);
  addPortalPage(routes, parts, delivery, loadDeliveryPage);
  addPortalForm(routes, parts, `${delivery}/redeliver`, resend);
}

const getParams = ({ request }: PortalContext): { readonly webhook_id: string } => ({
  webhook_id: getPathParameter(request, 'id'),
});

const getAddress = (context: PortalContext, done: string): string =>
  `${WEBHOOKS_PATH}/${encodeURIComponent(getParams(context).webhook_id)}?done=${done}`;

const findNotice = ({ request }: PortalContext): string | undefined =>
  findSentence(DONE, queryParameter(request, 'done'));

const createKeys =
  ({ parts }: PortalContext) =>
  (): string =>
    parts.work.ids.createSecret();

async function loadWebhooksPage(context: PortalContext, remark?: WebhookRemark): Promise<PageContent> {
  const webhooks = await context.api.call(listWebhooks, {});
  const notice = findNotice(context);
  return renderWebhooksPage(context.session, {
    webhooks,
    notice,
    remark,
    isSandbox: context.parts.work.site.environment === 'sandbox',
    createKey: createKeys(context),
  });
}

/** The list has every endpoint, so that one of another organization is unknown like one that never was. */
async function requireEndpoint(context: PortalContext): Promise<OrgWebhook> {
  const { webhook_id: id } = getParams(context);
  const webhook = (await context.api.call(listWebhooks, {})).find((each) => each.id === id);
  if (webhook === undefined) throw fail('webhook_not_found');
  return webhook;
}

async function loadEndpointPage(context: PortalContext, remark?: WebhookRemark): Promise<PageContent> {
  const webhook = await requireEndpoint(context);
  const deliveries = await context.api.call(listWebhookDeliveries, {
    params: { webhook_id: webhook.id },
    query: { limit: DELIVERIES_SHOWN },
  });
  const notice = findNotice(context);
  return renderEndpointPage(context.session, {
    webhook,
    deliveries,
    notice,
    remark,
    createKey: createKeys(context),
  });
}

async function loadDeliveryPage(context: PortalContext): Promise<PageContent> {
  const params = { delivery_id: getPathParameter(context.request, 'id') };
  const delivery = await context.api.call(getDelivery, { params });
  const notice = findNotice(context);
  return renderDeliveryPage(context.session, { delivery, notice, createKey: createKeys(context) });
}

/** What a person can mend is shown beside the form. */
async function answerRefusal(
  { form }: FormContext,
  error: unknown,
  show: (remark: WebhookRemark) => Promise<PageContent>,
): Promise<PageContent> {
  if (!(error instanceof Failure) || ![400, 409, 422].includes(error.status)) throw error;
  const problem =
    error.code === 'idempotency_in_flight'
      ? 'This form was sent twice, and the first one is still at work. Open the page again in a moment.'
      : (error.problems[0]?.message ?? error.message);
  return { ...(await show({ problem, typed: form })), status: error.status };
}

function readEvents(form: Form): string[] {
  return eventTypes.filter((type) => form[`${EVENT_FIELD}${type}`] === 'yes');
}

/** A form without a format keeps the current one. */
function readEndpoint(form: Form) {
  const format = webhookFormats.find((each) => each === form.format);
  return {
    url: getField(form, 'url'),
    event_types: readEvents(form),
    ...(format === undefined ? {} : { format }),
  };
}

async function trigger(context: FormContext): Promise<string | PageContent> {
  const { api, form } = context;
  const type = eventTypes.find((each) => each === form.event_type);
  if (type === undefined) throw fail('invalid_request', { reason: 'this event is unknown.' });
  try {
    await api.reply(triggerEvent, { body: { event_type: type }, idempotencyKey: readKey(form) });
    return `${WEBHOOKS_PATH}?done=triggered`;
  } catch (error) {
    return answerRefusal(context, error, (remark) => loadWebhooksPage(context, remark));
  }
}

/** The service makes the secret, so that it is strong and has the form of Standard Webhooks. */
async function create(context: FormContext): Promise<PageContent> {
  const { api, form, session } = context;
  const body = readEndpoint(form);
  try {
    const key = readKey(form);
    const created = await api.call(createWebhook, { body, idempotencyKey: key });
    // A form that is sent twice shows the same secret twice.
    const { secret } = await api.call(rollWebhookSecret, {
      params: { webhook_id: created.id },
      body: {},
      idempotencyKey: key === undefined ? undefined : `${key}-secret`,
    });
    return renderSecretPage(session, { webhook: created, secret, previousUntil: null });
  } catch (error) {
    return answerRefusal(context, error, (remark) => loadWebhooksPage(context, remark));
  }
}

async function save(context: FormContext): Promise<string | PageContent> {
  const { api, form } = context;
  const body = readEndpoint(form);
  return changeEndpoint(context, 'saved', () =>
    api.reply(updateWebhook, { params: getParams(context), body }),
  );
}

async function changeEndpoint(
  context: FormContext,
  done: string,
  change: () => Promise<unknown>,
): Promise<string | PageContent> {
  try {
    await change();
    return getAddress(context, done);
  } catch (error) {
    return answerRefusal(context, error, (remark) => loadEndpointPage(context, remark));
  }
}

function sendTest(context: FormContext): Promise<string | PageContent> {
  const input = { params: getParams(context), body: {}, idempotencyKey: readKey(context.form) };
  return changeEndpoint(context, 'tested', () => context.api.reply(testWebhook, input));
}

function setEnabled(context: FormContext, enabled: boolean): Promise<string | PageContent> {
  const input = { params: getParams(context), body: { enabled } };
  return changeEndpoint(context, enabled ? 'enabled' : 'disabled', () =>
    context.api.reply(updateWebhook, input),
  );
}

async function roll(context: FormContext): Promise<PageContent> {
  const { api, form, session } = context;
  const webhook = await requireEndpoint(context);
  const params = { webhook_id: webhook.id };
  const rolled = await api.call(rollWebhookSecret, { params, body: {}, idempotencyKey: readKey(form) });
  const { secret, previous_secret_until: previousUntil } = rolled;
  return renderSecretPage(session, { webhook, secret, previousUntil });
}

async function remove(context: FormContext): Promise<string> {
  await context.api.reply(deleteWebhook, { params: getParams(context) });
  return `${WEBHOOKS_PATH}?done=deleted`;
}

async function resend({ api, form, request }: FormContext): Promise<string> {
  const params = { delivery_id: getPathParameter(request, 'id') };
  await api.reply(resendDelivery, { params, body: {}, idempotencyKey: readKey(form) });
  return `${WEBHOOKS_PATH}/deliveries/${encodeURIComponent(params.delivery_id)}?done=sent`;
}
