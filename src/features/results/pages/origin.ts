/** How a number came about: what was measured, subtracted and fitted, with which files and settings; and how to cite it. */
import { isRecord } from '#core/records.ts';
import { writeMinusSigns } from '#core/number-words.ts';
import { capitalizeSentence, formatCount } from '#core/words.ts';
import { listRecords } from '#documents/records.ts';
import { markup, type Markup, type Part } from '#ui/markup.ts';
import { describeAnalysis, describeProcessing, flattenSettings } from '../package/methods.ts';
import { formatModel, formatReferenceRule, nameReplicates } from '../words/models.ts';
import { formatMolar } from '../words/results.ts';
import type { ResultInfo } from '../contract.ts';

export function renderOrigin(result: ResultInfo): Markup {
  const { analysis, experiment_type: type, experiment_code: code, metadata } = result;
  const settings = isRecord(analysis['settings']) ? flattenSettings(analysis['settings']) : [];
  const digests = Array.isArray(analysis['input_sha256']) ? analysis['input_sha256'].map(String) : [];
  const notices = Array.isArray(metadata['notices']) ? metadata['notices'].map(String) : [];
  const steps: readonly (readonly [name: string, text: Part])[] = [
    ['Measured', describeMeasurement(result)],
    ['Subtracted', describeSubtraction(result)],
    ['Processed', writeMinusSigns(describeProcessing(type, analysis))],
    ['Analyzed', `${describeAnalysis(analysis)} Version ${result.version} of the results.`.trim()],
  ];
  const written = steps.filter(([, text]) => text !== '');
  return markup`<section class="card origin" aria-labelledby="origin"><div class="card-head"><h2 id="origin">How this number came about</h2><p class="hint"><a href="/docs/guide/results">How to read it</a></p></div>
<dl class="origin-steps">${written.map(([name, text]) => markup`<div><dt>${name}</dt><dd>${text}</dd></div>`)}</dl>
${renderModels(result)}
${notices.length > 0 && markup`<details><summary>${formatCount(notices.length, 'notice')} of reading the files</summary><ul class="plain-list">${notices.map((notice) => markup`<li><bdi>${writeMinusSigns(notice)}</bdi></li>`)}</ul></details>`}
${digests.length > 0 && markup`<details><summary>${formatCount(digests.length, 'raw file')}</summary><p class="hint">The SHA-256 of each. The measured curves are in the <a href="/experiments/${code}/data-package">data package</a>.</p><ul class="digests">${digests.map((digest) => markup`<li><code>${digest}</code></li>`)}</ul></details>`}
${settings.length > 0 && markup`<details><summary>${formatCount(settings.length, 'setting')} of the analysis</summary><div class="scroll" role="region" aria-label="Table of settings" tabindex="0"><table class="settings"><thead><tr><th scope="col">Setting</th><th scope="col">Value</th></tr></thead><tbody>${settings.map(([name, value]) => markup`<tr><th scope="row" class="mono">${name}</th><td>${value}</td></tr>`)}</tbody></table></div></details>`}</section>`;
}

function describeMeasurement(result: ResultInfo): string {
  const [row] = listRecords(result.rows);
  const replicates = listRecords(row?.['replicates']);
  const plates = new Set(replicates.flatMap(({ plate }) => (typeof plate === 'string' ? [plate] : [])));
  const how = result.instrument === null ? '' : ` on ${result.instrument}`;
  const where =
    plates.size === 0 ? '' : `, ${plates.size === 1 ? 'plate' : 'plates'} ${[...plates].join(', ')}`;
  const curves = typeof result.n_curves === 'number' ? `, ${formatCount(result.n_curves, 'curve')}` : '';
  return `${formatCount(result.n_replicates, 'replicate')}${curves}${how}${where}.`;
}

/** `Reference and blank subtracted (double referenced).`, by replicate where they differ; empty without a record. */
function describeSubtraction({ details }: ResultInfo): string {
  const ruled = (details?.models ?? []).filter(({ reference_rule: rule }) => rule !== undefined);
  const groups = [...Map.groupBy(ruled, ({ reference_rule: rule = '' }) => formatReferenceRule(rule))];
  const sentences = groups.map(([words, members]) =>
    groups.length === 1 ? words : `${nameReplicates(members.map(({ replicate }) => replicate))}: ${words}`,
  );
  return sentences.length === 0 ? '' : `${capitalizeSentence(sentences.join('; '))}.`;
}

/** The models that were tried on each replicate, the chosen one with the evidence against its rivals. */
function renderModels({ details }: ResultInfo): Markup | null {
  const models = details?.models ?? [];
  const rows = models.flatMap(({ replicate, candidates }) =>
    candidates.map((candidate) => {
      const { model, accepted, delta_bic: bic, kd_m: kd, r2, reason } = candidate;
      const value = typeof kd === 'number' ? formatMolar({ value: kd, relation: '=' })?.signed : undefined;
      return markup`<tr${accepted && markup` class="picked"`}><td class="number">${replicate}</td><th scope="row">${formatModel(model)}</th><td class="nowrap">${value ?? '–'}</td><td class="number">${formatFixed(bic, 1)}</td><td class="number">${formatFixed(r2, 5)}</td><td>${accepted ? markup`<strong>chosen</strong>` : (reason ?? '–')}</td></tr>`;
    }),
  );
  if (rows.length === 0) return null;
  return markup`<details><summary>Models that were tried</summary><div class="scroll" role="region" aria-label="Table of models" tabindex="0"><table class="models"><thead><tr><th scope="col" class="number">Replicate</th><th scope="col">Model</th><th scope="col">K<sub>D</sub></th><th scope="col" class="number">ΔBIC</th><th scope="col" class="number">R²</th><th scope="col">Why</th></tr></thead><tbody>${rows}</tbody></table></div></details>`;
}

const formatFixed = (value: number | null | undefined, decimals: number): string =>
  typeof value === 'number' ? writeMinusSigns(value.toFixed(decimals)) : '–';

/** A reference that stays true: the id names this version, whatever is released later. */
export function renderCitation(result: ResultInfo, lab: string | null, baseUrl: string): Markup {
  const { title, experiment_code: code, id, version, updated_at: released } = result;
  const by = lab === null ? '' : `${lab}. `;
  const text = `${by}${title}. Experiment ${code}, version ${version}, released ${released.slice(0, 10)}. Result ${id}. ${baseUrl}/results/${id}`;
  return markup`<section class="card" aria-labelledby="cite-title"><h2 id="cite-title">Cite</h2><p class="copy citation" id="cite">${text}</p>
<p class="copies"><button type="button" class="quiet" data-copy="cite" hidden>Copy the citation</button></p></section>`;
}
