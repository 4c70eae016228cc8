// How far an active run has come: as facts on its page, as one line in a list. What is not known is not shown.
import { paceOf, type RunProgress } from '../../core/outcome/run-progress.ts'
import { number, plural, spanText } from '../../core/words/format.ts'
import { html, type Html } from './markup.ts'
import { facts } from './parts.ts'

const PHASES = {
  recover: 'settling what earlier runs left open',
  read: 'reading',
  apply: 'sending',
  settle: 'waiting before the next look-up of doubts',
} as const

/** Small rates are not rounded to zero. */
const rateText = (perSecond: number): string =>
  perSecond < 10 ? perSecond.toFixed(1) : number(Math.round(perSecond))

const leftText = (leftMs: number): string => `about ${spanText(Math.round(leftMs / 1000) * 1000)}`

function shareOf(share: number, leftMs: number | undefined): Html {
  const percent = Math.floor(share * 100)
  const left = leftMs === undefined ? '' : leftMs < 1000 ? ', almost done' : `, ${leftText(leftMs)} left`
  return html`<progress max="100" value="${percent}" aria-label="Of this stage"></progress> ${percent}
    %${left}`
}

function stageText({ now: { phase, file, files } }: RunProgress): string {
  const which = phase === 'read' && files > 1 ? ` file ${number(file)} of ${number(files)}` : ''
  return `${PHASES[phase]}${which}`
}

export function progressFacts(progress: RunProgress): Html {
  const { now } = progress
  const { perSecond, requestsPerSecond, share, leftMs } = paceOf(progress)
  const what = now.phase === 'apply' ? 'changes' : 'records'
  const rates = [
    ...(perSecond === undefined ? [] : [`${rateText(perSecond)} ${what}`]),
    ...(requestsPerSecond === undefined ? [] : [`${rateText(requestsPerSecond)} requests`]),
  ]
  return facts([
    ['Stage', html`${stageText(progress)}`],
    ['Records read', html`${number(now.read)}`],
    ...(now.planned === 0
      ? []
      : [['Changes sent', html`${number(now.applied)} of ${number(now.planned)}`] as const]),
    ['Requests sent', html`${number(now.requests)}`],
    ...(rates.length === 0 ? [] : [['Per second', html`${rates.join(', ')}`] as const]),
    ...(share === undefined ? [] : [['Of this stage', shareOf(share, leftMs)] as const]),
  ])
}

/** `reading file 1 of 3, 1,200 records, 14 requests, about 20 s left` */
export function progressLine(progress: RunProgress): string {
  const { phase, read, applied, planned, requests } = progress.now
  const { leftMs } = paceOf(progress)
  const done =
    phase === 'apply' ? `${number(applied)} of ${plural(planned, 'change')}` : plural(read, 'record')
  const left = leftMs === undefined || leftMs < 1000 ? [] : [`${leftText(leftMs)} left`]
  return [stageText(progress), done, plural(requests, 'request'), ...left].join(', ')
}
