import type { Schemas } from '@alcove/client'
import { X } from 'lucide-react'
import { useRef } from 'react'
import { Button, IconButton } from '../../../components/button.tsx'
import { TextField } from '../../../components/form/field.tsx'
import { Panel } from '../../../components/page/page.tsx'
import { QueryResult } from '../../../components/page/states.tsx'
import { useAction, usePage } from '../../../data/api.ts'
import { useToast } from '../../../data/toasts.ts'
import styles from '../admin.module.css'
import { texts } from './texts.ts'

const maxShown = 100

/** Aliases of a topic, which work in projects, searches and addresses. */
export function Aliases({ topic, isReadOnly }: { topic: Schemas['Topic']; isReadOnly: boolean }) {
  const toast = useToast()
  const form = useRef<HTMLFormElement>(null)
  const query = usePage('GET /topics/{id}/aliases', { path: { id: topic.id }, query: { per_page: maxShown } })
  const add = useAction('POST /topics/{id}/aliases', { showsErrors: true, onDone: () => form.current?.reset() })
  const remove = useAction('DELETE /topics/{id}/aliases', {
    onDone: (_, { query }) => {
      const name = query?.name ?? ''
      toast({
        text: texts.aliasRemoved(name),
        action: { label: texts.undo, run: () => add.mutate({ path: { id: topic.id }, body: { name } }) },
      })
    },
  })
  return (
    <Panel title={texts.aliases}>
      <p className="muted">{texts.projectsSearchesAndUrls(topic.title)}</p>
      <QueryResult query={query}>
        {({ rows, total, hasNext }) => (
          <>
            {rows.length > 0 && (
              <ul className="row-wrap" aria-label={texts.aliases}>
                {rows.map(({ id, name }) => (
                  <li key={id} className={styles.alias}>
                    <span className="mono">{name}</span>
                    {isReadOnly ? (
                      <span />
                    ) : (
                      <IconButton
                        label={texts.remove(name)}
                        icon={X}
                        onClick={() => remove.mutate({ path: { id: topic.id }, query: { name } })}
                      />
                    )}
                  </li>
                ))}
              </ul>
            )}
            {rows.length === 0 && <p className="muted">{texts.noAliases}</p>}
            {hasNext && <p className="muted small">{texts.andMoreAliases((total ?? 0) - rows.length)}</p>}
          </>
        )}
      </QueryResult>
      {!isReadOnly && (
        <form
          ref={form}
          className="form"
          onSubmit={(event) => {
            event.preventDefault()
            const name = String(new FormData(event.currentTarget).get('alias') ?? '').trim()
            add.mutate({ path: { id: topic.id }, body: { name } })
          }}
        >
          <TextField label={texts.newAlias} name="alias" required autoComplete="off" error={add.error?.message} />
          <div>
            <Button type="submit" isBusy={add.isPending}>
              {texts.addAlias}
            </Button>
          </div>
        </form>
      )}
    </Panel>
  )
}
