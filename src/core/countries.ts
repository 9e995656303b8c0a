/** The officially assigned codes of ISO 3166-1 alpha-2. */
import { remember } from './remember.ts';

const ASSIGNED: ReadonlySet<string> = new Set(
  `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
   CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR
   GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP
   KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT
   MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW
   SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ
   UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`
    .split(/\s+/)
    .filter((code) => code !== ''),
);

/** Codes that people write for a country whose official code differs. */
const MEANT: Readonly<Record<string, string>> = { UK: 'GB', EL: 'GR' };

/** Made for the first name, because it loads the language data of Node. */
const loadNames = remember(() => new Intl.DisplayNames(['en'], { type: 'region', fallback: 'code' }));

export function getCountryName(code: string): string {
  return loadNames().of(code) ?? code;
}

/** Returns every code with its name, ordered by name. */
export function listCountries(): readonly (readonly [code: string, name: string])[] {
  const named = [...ASSIGNED].map((code) => [code, getCountryName(code)] as const);
  return named.toSorted(([, a], [, b]) => a.localeCompare(b, 'en'));
}

/**
 * Returns why a code of two capital letters is not a country, as a clause about the field; undefined when it is one.
 */
export function findCountryProblem(code: string): string | undefined {
  if (ASSIGNED.has(code)) return undefined;
  const correctCode = MEANT[code];
  return correctCode === undefined
    ? `${code} is not a country of ISO 3166-1`
    : `${code} is not a country of ISO 3166-1; ${getCountryName(correctCode)} is ${correctCode}`;
}
