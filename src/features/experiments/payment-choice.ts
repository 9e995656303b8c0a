/** The payment rail that a new experiment asks for, in its body or in the header for the payment method. */
import { paymentMethods, type PaymentMethod } from '#core/capability.ts';
import type { ReadContext } from '#core/context.ts';
import { fail, type Problem } from '#core/failures.ts';
import { countSlips } from '#core/nearest.ts';
import { Nullable, OneOf, strict, Type, type Static } from '#core/schema.ts';
import { chooseRail, refuseOutsidePolicy } from '../invoices/rules.ts';

export const PaymentChoice = Type.Optional(
  Nullable(
    Type.Object(
      {
        method: OneOf(paymentMethods, {
          description: 'the payment rail; the header X-Service-Payment-Method may only repeat it',
        }),
      },
      strict,
    ),
    {
      description: 'how the order is paid, as the header X-Service-Payment-Method says it; null: not stated',
    },
  ),
);

export interface NamedRail {
  /** The header as it came. */
  readonly header: string | undefined;
  readonly payment: Static<typeof PaymentChoice> | undefined;
}

const LENGTH_SHOWN = 60;

/** Finds the contradiction of a body and a header that name different rails. */
export function findRailProblems({ header, payment }: NamedRail): Problem[] {
  if (header === undefined || payment === undefined || payment === null || header === payment.method)
    return [];
  const shown = header.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, LENGTH_SHOWN);
  const message = `is ${payment.method}, but the header for the payment method says ${shown}; name one method`;
  return [{ path: 'payment.method', message }];
}

/** Returns the rail that a request names; undefined where it names none, or two that contradict each other. */
export function readNamedRail(named: NamedRail): string | undefined {
  if (findRailProblems(named).length > 0) return undefined;
  const { header, payment } = named;
  return header ?? payment?.method;
}

/**
 * Returns the rail of a new order, which is fixed from then on. A token with a payment policy pays by its first method
 * unless the request names another. A machine rail must be one of its methods and be served by this environment. Throws
 * `unknown_payment_method`, `token_restricted` or `payment_rail_not_served`.
 */
export function requireRail(
  named: NamedRail,
  { site, principal }: Pick<ReadContext, 'site' | 'principal'>,
): PaymentMethod {
  const rail = chooseRail(readNamedRail(named) ?? principal.restrictions.paymentMethods?.[0]);
  refuseOutsidePolicy(rail, principal);
  if (rail !== 'async_invoice' && !site.machineMethods.includes(rail))
    throw fail('payment_rail_not_served', { method: rail });
  return rail;
}

/** Keys by which clients try to name the rail, without signs between their words, and the slips that still count as one. */
const MISNAMED: ReadonlyMap<string, number> = new Map([
  ['payment', 1],
  ['paymentmethod', 2],
  ['paymentrail', 2],
  ['paymethod', 1],
]);

/**
 * Finds keys beside a specification that were meant as `payment`. Other unknown keys are ignored; ignoring one of these
 * would end a wish for a rail in silence.
 */
export function findMisnamedPayment(body: object): Problem[] {
  return Object.keys(body)
    .filter((key) => key !== 'payment' && key.length <= LENGTH_SHOWN && isMisnamed(key))
    .map((key) => ({
      path: key.replaceAll(/[^\x20-\x7e]/g, '?'),
      message: `is not a known field; name the payment rail as payment: {"method": "${paymentMethods.join('" | "')}"}`,
    }));
}

function isMisnamed(key: string): boolean {
  const letters = key.toLowerCase().replaceAll(/[^a-z]/g, '');
  return [...MISNAMED].some(([name, slips]) => countSlips(letters, name) <= slips);
}
