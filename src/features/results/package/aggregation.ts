/** How replicates become one value, by the kind of their mean. */
import { markCode, prose, type Prose } from '#documents/prose.ts';

const RELATIONS = prose`A value carries a relation: ${markCode('=')} is measured, ${markCode('<')} and ${markCode('>')} are limits of what the assay resolves, ${markCode('~')} is an estimate. A quantity that could not be measured is absent; it is never zero.`;

const WIDER =
  'their 95 % interval is the wider of what the errors of the replicates predict and what their spread shows. Only limits of one kind give a limit, the one that excludes least.';

export const GEOMETRIC: Prose = [
  `Every replicate is reported on its own. Values of a sequence are geometric means with the standard deviation of log10 over replicates; ${WIDER} `,
  ...RELATIONS,
];

export const ARITHMETIC: Prose = [
  `Every replicate is reported on its own. Values of a sequence are arithmetic means; ${WIDER} Replicates of a weak melting signal are fitted together instead, with one Tm and one ΔH. `,
  ...RELATIONS,
];

/** Where values and limits are mixed, the median is not dragged along by one limit. */
export const GEOMETRIC_OR_MEDIAN: Prose = [
  `Every replicate is reported on its own. Values of a sequence are geometric means, or the median where some replicates are limits; ${WIDER} The error that the replicates of a plate share comes on top. `,
  ...RELATIONS,
];

export const ARITHMETIC_OR_MEDIAN: Prose = [
  `Every replicate is reported on its own. Values of a sequence are arithmetic means, or the median where some replicates are limits; ${WIDER} The error that the replicates of a plate share comes on top. `,
  ...RELATIONS,
];

export const WITHOUT_INTERVAL: Prose = [
  'Every replicate is reported on its own. The response of a sequence is the arithmetic mean of its replicates, with their standard deviation and without an interval; an estimate of KD is a geometric mean. ',
  ...RELATIONS,
];
