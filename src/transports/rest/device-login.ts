/** The two routes of RFC 8628 for programs without a browser: forms in, JSON out. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Keyring } from '#core/capability.ts';
import type { Work } from '#core/context.ts';
import type { Database } from '#core/sql.ts';
import {
  DEVICE_CLIENT_ID,
  DEVICE_CODE_LIFE_MS,
  DEVICE_GRANT_TYPE,
  POLL_INTERVAL_S,
  formatUserCode,
} from '#features/people/devices/rules.ts';
import { askToBeLetIn, pollDeviceLogin, type PollRefusal } from '#features/people/devices/device-login.ts';
import { createRateLimiter } from './rate-limit.ts';
import type { Routes } from '#ui/routes.ts';

export const DEVICE_PAGE = '/device';
const BODY_BYTES_MAX = 16_384;
const SECRET = /^[\w-]{20,100}$/;
/** Limit for one address: a burst, then one every ten seconds. */
const STARTS = { perSecond: 0.1, burst: 10 };
/** Limit for one address: many programs behind it may poll. */
const POLLS = { perSecond: 5, burst: 60 };

export interface DeviceLoginParts {
  readonly work: Work;
  readonly database: Database;
  readonly keyring: Keyring;
}

type OAuthError = PollRefusal | 'invalid_request' | 'invalid_client' | 'unsupported_grant_type';

const SENTENCES: Readonly<Record<OAuthError, string>> = {
  authorization_pending: 'The person has not decided yet; poll again after the interval.',
  slow_down: 'Polled too early; from now on wait five seconds longer between two polls.',
  access_denied: 'The person denied the request.',
  expired_token: 'The request has expired; start again.',
  invalid_grant: 'The device code is unknown or was used already.',
  invalid_request: 'A form with the fields of RFC 8628 is expected.',
  invalid_client: `The client_id must be ${DEVICE_CLIENT_ID}.`,
  unsupported_grant_type: `The grant_type must be ${DEVICE_GRANT_TYPE}.`,
};

export function addDeviceLogin(routes: Routes, parts: DeviceLoginParts): void {
  const { work, database, keyring } = parts;
  const starts = createRateLimiter(STARTS, work.clock);
  const polls = createRateLimiter(POLLS, work.clock);

  routes.post('/device/authorization', { bodyLimit: BODY_BYTES_MAX }, async (request, reply) => {
    starts.take(request.ip);
    const form = parseForm(request);
    if (form === undefined) return refuse(reply, 'invalid_request');
    if (form.get('client_id') !== DEVICE_CLIENT_ID) return refuse(reply, 'invalid_client');
    const asking = { name: form.get('device_name') ?? '', address: request.ip };
    const { deviceCode, userCode } = await database.runTransaction((tx) => askToBeLetIn(work, tx, asking));
    const page = `${work.site.baseUrl}${DEVICE_PAGE}`;
    const shown = formatUserCode(userCode);
    return answer(reply, 200, {
      device_code: deviceCode,
      user_code: shown,
      verification_uri: page,
      verification_uri_complete: `${page}?user_code=${shown}`,
      expires_in: DEVICE_CODE_LIFE_MS / 1_000,
      interval: POLL_INTERVAL_S,
    });
  });

  routes.post('/device/token', { bodyLimit: BODY_BYTES_MAX }, async (request, reply) => {
    polls.take(request.ip);
    const form = parseForm(request);
    if (form === undefined) return refuse(reply, 'invalid_request');
    if (form.get('grant_type') !== DEVICE_GRANT_TYPE) return refuse(reply, 'unsupported_grant_type');
    if (form.get('client_id') !== DEVICE_CLIENT_ID) return refuse(reply, 'invalid_client');
    const deviceCode = form.get('device_code') ?? '';
    if (!SECRET.test(deviceCode)) return refuse(reply, 'invalid_grant');
    const origin = { requestId: request.id, address: request.ip };
    const polled = await pollDeviceLogin(work, database, keyring, { deviceCode, origin });
    if (polled.kind === 'refused') return refuse(reply, polled.error);
    const { value, id, expiresAt } = polled.token;
    return answer(reply, 200, {
      access_token: value,
      token_type: 'Bearer',
      expires_in:
        expiresAt === null ? null : Math.floor((expiresAt.getTime() - work.clock.now().getTime()) / 1_000),
      token_id: id,
    });
  });
}

/** A field that is sent twice counts as missing (RFC 6749 §3.2). */
function parseForm(request: FastifyRequest): URLSearchParams | undefined {
  const { body } = request;
  const type = request.headers['content-type'] ?? '';
  if (typeof body !== 'string' || !/^application\/x-www-form-urlencoded\b/i.test(type)) return undefined;
  const form = new URLSearchParams(body);
  const names = [...form.keys()];
  return new Set(names).size === names.length ? form : undefined;
}

function refuse(reply: FastifyReply, error: OAuthError): FastifyReply {
  return answer(reply, error === 'invalid_client' ? 401 : 400, {
    error,
    error_description: SENTENCES[error],
  });
}

function answer(reply: FastifyReply, status: number, body: object): FastifyReply {
  return reply
    .code(status)
    .header('cache-control', 'no-store')
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(body));
}
