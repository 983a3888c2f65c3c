import { Circle, CircleCheck } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/page/page.tsx'
import { useApiQuery, usePage } from '../../data/api.ts'
import { useLiveUpdates } from '../../data/live-updates.ts'
import { store } from '../../data/store.ts'
import styles from './home.module.css'
import { texts } from './texts.ts'

const storageKey = 'alcove-hides-checklist'
const isHidden = store.slot(() => localStorage.getItem(storageKey) === 'true')

interface Step {
  label: string
  isDone: boolean
  to: string
}

/** Steps from an empty server to the first triaged finding. Disappears when all are done, or when the user hides it. */
export function Checklist({ project }: { project: string | undefined }) {
  const [hidden, setHidden] = useState(isHidden.get)
  const statistics = useApiQuery('GET /vulnerability_statistics', {}, { isEnabled: !hidden }).data
  const dashboard = useApiQuery('GET /security_dashboard', {}, { isEnabled: !hidden }).data
  const isScanned = statistics && dashboard && dashboard.unscanned.total < statistics.projects
  // A report needs a token or a trust relation, so the list of tokens matters only before the first one.
  const tokens = usePage(
    'GET /personal_access_tokens',
    { query: { state: 'active', per_page: 1 } },
    { isEnabled: !hidden && isScanned === false },
  ).data
  useLiveUpdates()
  if (hidden || isScanned === undefined || (!isScanned && !tokens)) return null
  const isTriaged = Object.values(statistics?.counts ?? {}).some(
    ({ confirmed, dismissed, resolved }) => confirmed + dismissed + resolved > 0,
  )
  const steps: Step[] = [
    { label: texts.createAProject, isDone: project !== undefined, to: '/-/projects/new' },
    {
      label: texts.createAnAccessToken,
      isDone: isScanned || (tokens?.rows.length ?? 0) > 0,
      to: '/-/profile/tokens',
    },
    { label: texts.sendAReport, isDone: isScanned, to: project ? `/${project}` : '/-/projects/new' },
    {
      label: texts.triageTheFirstFinding,
      isDone: isTriaged,
      to: (statistics?.waiting_projects[0] && findingsOf(statistics.waiting_projects[0])) ?? '/-/vulnerabilities',
    },
  ]
  const next = steps.find(({ isDone }) => !isDone)
  if (!next) return null
  return (
    <Panel
      title={texts.getStarted}
      actions={
        <Button
          size="small"
          kind="quiet"
          onClick={() => {
            localStorage.setItem(storageKey, 'true')
            isHidden.set(true)
            setHidden(true)
          }}
        >
          {texts.hide}
        </Button>
      }
    >
      <ol className={styles.steps}>
        {steps.map((step) => {
          const Icon = step.isDone ? CircleCheck : Circle
          return (
            <li key={step.label} className={styles.step}>
              <Icon size={18} aria-hidden="true" className={step.isDone ? styles.done : styles.open} />
              <span>
                {step === next ? <Link to={step.to}>{step.label}</Link> : step.label}
                <span className="visually-hidden">{step.isDone ? texts.done : texts.toDo}</span>
              </span>
            </li>
          )
        })}
      </ol>
    </Panel>
  )
}

const findingsOf = (project: { path_with_namespace: string }) => `/${project.path_with_namespace}/-/findings`
