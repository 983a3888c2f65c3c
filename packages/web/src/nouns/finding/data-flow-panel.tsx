import { Badge } from '../../components/badge.tsx'
import { Panel } from '../../components/page/page.tsx'
import { Tokens } from './code/tokens-in-colour.tsx'
import { useHighlighter } from './code/use-highlighter.ts'
import type { FlowStep } from './data-flow.ts'
import styles from './facts.module.css'
import { texts } from './texts.ts'

const kinds = { source: texts.source, propagation: texts.step, sink: texts.sink } as const

/** The way of data from its source to the flaw, step by step. Other ways to the same flaw open below. */
export function DataFlowPanel({ flows }: { flows: readonly (readonly FlowStep[])[] }) {
  const [first, ...others] = flows
  if (!first) return null
  return (
    <Panel title={texts.dataFlow}>
      <Steps steps={first} />
      {others.map((steps, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: flows never change their places
        <details key={index}>
          <summary>{texts.anotherWaySteps(steps.length)}</summary>
          <Steps steps={steps} />
        </details>
      ))}
    </Panel>
  )
}

function Steps({ steps }: { steps: readonly FlowStep[] }) {
  const codes = steps.filter(({ code }) => code !== undefined)
  const highlighter = useHighlighter(
    codes.map(({ place }) => place),
    codes.map(({ code }) => code).join('\n'),
  )
  return (
    <ol className="stack-tight small">
      {steps.map(({ kind, place, text, code }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps never change their places
        <li key={index}>
          <span className="row-wrap">
            <Badge tone={kind === 'sink' ? 'danger' : 'neutral'}>{kinds[kind]}</Badge>
            <code className={styles.breaking}>{place}</code>
            {text && <span className="muted">{text}</span>}
          </span>
          {code && (
            <code className={styles.breaking}>
              <Tokens text={code} line={highlighter(code.replaceAll('\n', ' '), place)?.[0]} />
            </code>
          )}
        </li>
      ))}
    </ol>
  )
}
