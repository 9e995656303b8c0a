/** What the notebook and the report say about the curves of each assay, and about when to doubt its numbers. */
import { code, prose, strong, writeMarkdown, type Prose } from '../words/prose.ts';

export interface Lesson {
  readonly curves: { readonly title: string; readonly text: Prose };
  readonly doubt: { readonly title: string; readonly points: readonly Prose[] };
}

/** For the notebook. */
export function writeCurvesLesson({ curves: { title, text } }: Lesson): string {
  return `## ${title}\n\n${writeMarkdown(text)}`;
}

/** For the notebook. */
export function writeDoubtLesson({ doubt: { title, points } }: Lesson): string {
  return `## ${title}\n\n${points.map((point) => `- ${writeMarkdown(point)}`).join('\n')}`;
}

export const ASSAY_LESSONS: Readonly<Record<string, Lesson>> = {
  affinity: {
    curves: {
      title: 'The sensorgrams behind a KD',
      text: prose`Each colour is one concentration of the analyte. While analyte flows (association) the signal rises with the rate kon·C + koff; in buffer (dissociation) it falls with koff alone. One pair of rate constants has to explain ${strong('all')} concentrations of a replicate at once; KD is their ratio. The residuals below should look like noise: waves in them mean that the model is too simple, and the interval of a model that is too simple is too narrow.`,
    },
    doubt: {
      title: 'When not to trust a KD',
      points: [
        prose`${strong('koff is a limit')} when less than about 5 % of the complex dissociated in the time given: the curve is flat, and any smaller koff fits as well. KD is then ${code('<')}.`,
        prose`${strong('kon is a limit')} when binding is faster than the analyte is transported to the surface. A very fast kon is often mass transport, not chemistry.`,
        prose`${strong('The top concentration lies below KD')}: the plateau was never seen, Rmax is a guess, and so is KD.`,
        prose`${strong('Avidity')}: a dimeric or Fc-fused target binds with two arms. The KD is apparent, and usually flattering.`,
        prose`Replicates that disagree by more than 0.3 in log10 say more about the assay than about the design.`,
      ],
    },
  },
  screening: {
    curves: {
      title: 'The traces behind a yes or no',
      text: prose`A screen asks one question at one or two concentrations: is the response at the end of association above what the plate's negative controls do by themselves? There is no fit, so there is no KD, and an estimate from two concentrations carries the relation ${code('~')}.`,
    },
    doubt: {
      title: 'When not to trust a hit',
      points: [
        prose`${strong('Just above the threshold')} is just above the threshold: repeat it before you build on it.`,
        prose`${strong('Low loading')} gives a low response even to a good binder; look at the loading before you call a design dead.`,
        prose`${strong('A sticky design')} binds to the reference as well (flag NSB): it binds everything.`,
        prose`Two replicates that disagree are ${code('inconclusive')}, which is an answer.`,
      ],
    },
  },
  thermostability: {
    curves: {
      title: 'The melting curve behind a Tm',
      text: prose`The signal follows two sloping baselines, folded and unfolded, and moves from one to the other around Tm. The baselines matter: on real data the rule for them moves Tm by up to 2 °C, which is why the rule is part of the result. The derivative shows how many transitions there are.`,
    },
    doubt: {
      title: 'When not to trust a Tm',
      points: [
        prose`${strong('No transition')} is a result. A Tm near an end of the ramp is not.`,
        prose`${strong('Compare within one plate and one buffer.')} ΔTm against the control of the same plate travels better than Tm itself.`,
        prose`${strong('Aggregation')} before unfolding bends the curve; look at the scattering channel when there is one.`,
        prose`Two transitions have two midpoints. The first is where trouble starts.`,
      ],
    },
  },
  expression: {
    curves: {
      title: 'The standard curve behind an amount',
      text: prose`The amount is read off a four-parameter curve through standards of known concentration on the same plate. Between the limits of quantification the standards come back within 20 % of what was put in; outside, the curve is flat and the amount is a limit.`,
    },
    doubt: {
      title: 'When not to trust an amount',
      points: [
        prose`${strong('Below the lower limit')} means less than that, not zero.`,
        prose`${strong('A280')} counts tryptophan and tyrosine: a design without them is invisible to it.`,
        prose`A tag that is buried captures badly; the amount is then too low.`,
      ],
    },
  },
  fluorescence: {
    curves: {
      title: 'The wells behind an intensity',
      text: prose`Every intensity is corrected for the blank of its plate and divided by that of the reference protein on the same plate. Z′ says how far apart reference and blank are in units of their noise; above 0.5 the plate separates them well.`,
    },
    doubt: {
      title: 'When not to trust an intensity',
      points: [
        prose`${strong('Saturated')} wells are limits: the detector had no more to give.`,
        prose`${strong('Edge wells')} dry out first; a hit that sits on the rim deserves a second look.`,
        prose`${strong('Brightness is also amount')}: without the expression of the same design, a bright well may just be a full one.`,
      ],
    },
  },
};
