import type { RowOf } from '@alcove/client'
import { RotateCw } from 'lucide-react'
import { Badge, type Tone } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ChoiceFilter, useChoice } from '../../components/form/filters.tsx'
import { formatNumber } from '../../components/format.ts'
import { Pager, usePageNumber } from '../../components/page/pager.tsx'
import { QueryResult } from '../../components/page/states.tsx'
import { Time } from '../../components/time.tsx'
import { useAction, usePage } from '../../data/api.ts'
import { useMayChange } from '../../data/session.ts'
import styles from './deliveries.module.css'
import { eventInWords } from './events.ts'
import { type Hook, useHookPlace } from './place.ts'
import { texts } from './texts.ts'

const perPage = 20
const outcomes = [
  { value: '', label: texts.all },
  { value: 'successful', label: texts.accepted2xx },
  { value: 'client_failure', label: texts.rejected4xx },
  { value: 'server_failure', label: texts.serverError5xx },
] as const
type Delivery = RowOf<'GET /projects/{id}/hooks/{hook_id}/events'>

/** Requests and responses of a webhook in the last week. */
export function Deliveries({ hook }: { hook: Hook }) {
  const { base, id: placeId } = useHookPlace()
  const outcome = useChoice('status', outcomes)
  const query = usePage(`GET ${base}/{hook_id}/events`, {
    path: { id: placeId, hook_id: hook.id },
    query: { page: usePageNumber(), per_page: perPage, ...(outcome && { status: [outcome] }) },
  })
  return (
    <section className="stack" aria-label={texts.recentDeliveries}>
      <div className="row-wrap">
        <h2>{texts.recentDeliveries}</h2>
        <div className="push">
          <ChoiceFilter name="status" label={texts.outcome} choices={outcomes} />
        </div>
      </div>
      <QueryResult query={query}>
        {(found) =>
          found.rows.length === 0 ? (
            <p className="muted">{texts.noDeliveriesInTheLast(outcome ? texts.matching : '')}</p>
          ) : (
            <>
              <ul className={styles.list}>
                {found.rows.map((delivery) => (
                  <Entry key={delivery.id} hook={hook} delivery={delivery} />
                ))}
              </ul>
              <Pager page={found} perPage={perPage} />
            </>
          )
        }
      </QueryResult>
    </section>
  )
}

function Entry({ hook, delivery }: { hook: Hook; delivery: Delivery }) {
  const { base, id: placeId } = useHookPlace()
  const isWriter = useMayChange()
  const resend = useAction(`POST ${base}/{hook_id}/events/{hook_event_id}/resend`, {
    done: texts.deliverySentAgain,
  })
  const path = { id: placeId, hook_id: hook.id, hook_event_id: delivery.id }
  return (
    <li className={styles.entry}>
      <details>
        <summary className={styles.summary}>
          <Badge tone={toneOf(delivery)}>
            {delivery.response_status === 'internal error' ? texts.noResponse : delivery.response_status}
          </Badge>
          <span>{eventInWords(delivery)}</span>
          <span className="muted">
            <Time of={delivery.created_at} />
          </span>
          <span className="muted small numbers">{formatNumber(delivery.execution_duration, 2)} s</span>
        </summary>
        <div className={styles.content}>
          {isWriter && delivery.url === hook.url && (
            <div>
              <Button size="small" icon={RotateCw} isBusy={resend.isPending} onClick={() => resend.mutate({ path })}>
                {texts.redeliver}
              </Button>
            </div>
          )}
          {delivery.error && <p>{delivery.error}</p>}
          <Part
            title={texts.request}
            headers={delivery.request_headers}
            body={JSON.stringify(delivery.request_data, null, 2)}
          />
          <Part title={texts.response} headers={delivery.response_headers} body={delivery.response_body} />
        </div>
      </details>
    </li>
  )
}

function Part({ title, headers, body }: { title: string; headers: Record<string, unknown>; body: string }) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return (
    <div className="stack-tight">
      <h3>{title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre className={styles.raw} tabIndex={0}>
        {[...lines, '', body].join('\n').trim() || texts.empty}
      </pre>
    </div>
  )
}

function toneOf({ response_status: status }: Delivery): Tone {
  if (status.startsWith('2')) return 'success'
  return status.startsWith('4') ? 'warning' : 'danger'
}
