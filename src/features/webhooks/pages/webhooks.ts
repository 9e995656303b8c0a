/** Webhooks in the portal: endpoints, what they receive, and what came of each delivery. */
import { fail } from '#core/failures.ts';
import { createWebhook, listWebhooks, rollWebhookSecret, type OrgWebhook } from '../contract.ts';
import { getDelivery, listWebhookDeliveries } from '../delivery-contract.ts';
import { readBody, renderDone } from '#ui/action.ts';
import { addPortalPage, type FormContext, type PortalContext } from '#ui/context.ts';
import { createFormsView, readKey } from '#ui/form.ts';
import { getPathParameter } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import type { PagesParts } from '#ui/parts.ts';
import { addPortalActions, type Remark } from '#ui/screen.ts';
import {
  endpointActions,
  redeliver,
  roll,
  renderDeliveryPage,
  renderEndpointPage,
  renderSecretPage,
} from './endpoint-view.ts';
import { create, listActions, renderWebhooksPage, WEBHOOKS_PATH } from './webhooks-view.ts';
import type { Routes } from '#ui/routes.ts';

const DELIVERIES_SHOWN = 25;
const ENDPOINT = `${WEBHOOKS_PATH}/:webhook_id`;

export function addWebhookPages(routes: Routes, parts: PagesParts): void {
  addPortalPage(routes, parts, WEBHOOKS_PATH, (context) => loadWebhooksPage(context));
  addPortalActions(routes, parts, [{ ...create, does: createEndpoint }, ...listActions], loadWebhooksPage);
  addPortalPage(routes, parts, ENDPOINT, (context) => loadEndpointPage(context));
  addPortalActions(routes, parts, [...endpointActions, { ...roll, does: rollSecret }], loadEndpointPage);
  addPortalPage(routes, parts, `${WEBHOOKS_PATH}/deliveries/:delivery_id`, (context) =>
    loadDeliveryPage(context),
  );
  addPortalActions(routes, parts, [redeliver], loadDeliveryPage);
}

async function loadWebhooksPage(context: PortalContext, remark?: Remark): Promise<PageContent> {
  const webhooks = await context.api.call(listWebhooks, {});
  return renderWebhooksPage(createFormsView(context, remark), {
    webhooks,
    notice: renderDone(context, [...listActions, ...endpointActions]),
    isSandbox: context.parts.work.site.environment === 'sandbox',
  });
}

/** The list has every endpoint, so that one of another organization is unknown like one that never was. */
async function requireEndpoint({ api, request }: PortalContext): Promise<OrgWebhook> {
  const id = getPathParameter(request, 'webhook_id');
  const webhook = (await api.call(listWebhooks, {})).find((each) => each.id === id);
  if (webhook === undefined) throw fail('webhook_not_found');
  return webhook;
}

async function loadEndpointPage(context: PortalContext, remark?: Remark): Promise<PageContent> {
  const webhook = await requireEndpoint(context);
  const deliveries = await context.api.call(listWebhookDeliveries, {
    params: { webhook_id: webhook.id },
    query: { limit: DELIVERIES_SHOWN },
  });
  const notice = renderDone(context, endpointActions);
  return renderEndpointPage(createFormsView(context, remark), { webhook, deliveries, notice });
}

async function loadDeliveryPage(context: PortalContext, remark?: Remark): Promise<PageContent> {
  const params = { delivery_id: getPathParameter(context.request, 'delivery_id') };
  const delivery = await context.api.call(getDelivery, { params });
  return renderDeliveryPage(createFormsView(context, remark), delivery, renderDone(context, [redeliver]));
}

/** The service makes the secret, so that it is strong and has the form of Standard Webhooks. */
async function createEndpoint({ api, form, session }: FormContext): Promise<PageContent> {
  const key = readKey(form);
  const webhook = await api.call(createWebhook, { body: readBody(create, form), idempotencyKey: key });
  // A form that is sent twice shows the same secret twice.
  const made = await api.call(rollWebhookSecret, {
    params: { webhook_id: webhook.id },
    body: {},
    idempotencyKey: key === undefined ? undefined : `${key}-secret`,
  });
  return renderSecretPage(session, webhook, { ...made, previous_secret_until: null });
}

async function rollSecret(context: FormContext): Promise<PageContent> {
  const { api, form, session } = context;
  const webhook = await requireEndpoint(context);
  const params = { webhook_id: webhook.id };
  const made = await api.call(rollWebhookSecret, { params, body: {}, idempotencyKey: readKey(form) });
  return renderSecretPage(session, webhook, made);
}
