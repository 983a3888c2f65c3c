import { Star, Users } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { Button } from '../../../components/button.tsx'
import { ActionMenu } from '../../../components/overlay/menu.tsx'
import notice from '../../../components/page/notice.module.css'
import { useAction } from '../../../data/api.ts'
import { useSearchState } from '../../../data/search-state.ts'
import { mayWrite, useSession } from '../../../data/session.ts'
import {
  isChanged,
  queryOf,
  type SavedView,
  unknownFilters,
  type ViewedState,
  viewedNames,
  viewOf,
} from '../../../nouns/vulnerability/saved-view.ts'
import { useViewPlace } from '../../../nouns/vulnerability/saved-views.ts'
import { texts } from '../texts.ts'
import { DeleteView, RenameView, SaveView } from './lazy-dialogs.ts'
import { PresetViews } from './preset-views.tsx'
import styles from './saved-views.module.css'
import { allViews, useViews, type ViewList } from './use-views.ts'

/** Stages of triage and saved views of a list as links, with the actions on the shown view. */
export function SavedViews({ stages }: { stages: ReactNode }) {
  const [state] = useSearchState(viewedNames)
  const list = useViews()
  const isFiltered = Object.keys(state).length > 0
  const session = useSession()
  const [path] = useLocation()
  const [isSaving, setSaving] = useState(false)
  const { views, current } = list
  const writes = mayWrite(session)
  const changed = current !== undefined && isChanged(state, current)
  const offersSaving = writes && (current ? changed : isFiltered)
  return (
    <>
      {list.isMissing && (
        <section className={notice.notice} aria-label={texts.savedView}>
          <p>{texts.thisViewDoesNotExist}</p>
          <Button size="small" onClick={list.leave}>
            {texts.close}
          </Button>
        </section>
      )}
      <div className={styles.bar}>
        {stages}
        {views.length > 0 && (
          <nav className={styles.nav} aria-label={texts.savedViews}>
            <ul className={styles.views}>
              <li>
                <Link
                  to={`${path}?view=${allViews}`}
                  className={styles.view}
                  aria-current={current ? undefined : 'true'}
                >
                  {texts.allOpen}
                </Link>
              </li>
              {views.map((view) => (
                <li key={view.id}>
                  <ViewLink view={view} isCurrent={view === current} isChanged={view === current && changed} />
                </li>
              ))}
            </ul>
          </nav>
        )}
        <div className={styles.actions}>
          {offersSaving && (
            <Button size="small" kind="quiet" onClick={() => setSaving(true)}>
              {texts.saveView}
            </Button>
          )}
          {current && writes && (
            <ViewActions key={current.id} view={current} state={state} isChanged={changed} list={list} />
          )}
        </div>
        {list.isEmpty && <PresetViews state={state} isSignedIn={session.user !== null} />}
      </div>
      {current && <HiddenFilters view={current} />}
      {isSaving && <SaveView state={state} onClose={() => setSaving(false)} onSaved={list.open} />}
    </>
  )
}

function ViewLink({ view, isCurrent, isChanged }: { view: SavedView; isCurrent: boolean; isChanged: boolean }) {
  const [path] = useLocation()
  return (
    <Link to={`${path}${queryOf(view)}`} className={styles.view} aria-current={isCurrent ? 'true' : undefined}>
      {view.default && <Star size={14} role="img" aria-label={texts.defaultView} />}
      {view.shared && <Users size={14} role="img" aria-label={texts.sharedView} />}
      {view.name}
      {isChanged && <span className="muted">{texts.changed}</span>}
    </Link>
  )
}

/** The API stores filters that this page has no controls for. */
function HiddenFilters({ view }: { view: SavedView }) {
  const { kind } = useViewPlace()
  const hidden = unknownFilters(view, kind)
  if (hidden.length === 0) return null
  return (
    <p className="muted small" role="status">
      {texts.thisPageCannotShow(hidden.join(', '))}
    </p>
  )
}

function ViewActions({
  view,
  state,
  isChanged,
  list,
}: {
  view: SavedView
  state: ViewedState
  isChanged: boolean
  list: ViewList
}) {
  const { user } = useSession()
  const { id, path, mayShare } = useViewPlace()
  const [asked, setAsked] = useState<'rename' | 'delete'>()
  const place = { path: { id, view_id: view.id } }
  const update = useAction(`PUT ${path}/{view_id}`, { done: texts.viewUpdated })
  const choose = useAction(`POST ${path}/{view_id}/default`, { done: texts.theListOpensWithThisView })
  const unchoose = useAction(`DELETE ${path}/{view_id}/default`, { done: texts.theListOpensWithout })
  const isOwn = view.author.id === user?.id
  const mayChange = isOwn ? mayShare || !view.shared : mayShare
  const sharing = mayShare && (isOwn || !view.shared)
  return (
    <>
      {isChanged && mayChange && (
        <Button
          size="small"
          kind="quiet"
          isBusy={update.isPending}
          onClick={() => update.mutate({ ...place, body: viewOf(state) })}
        >
          {texts.updateView}
        </Button>
      )}
      <ActionMenu
        label={texts.actionsFor(view.name)}
        items={[
          view.default
            ? { label: texts.removeAsDefault, onChoose: () => unchoose.mutate(place) }
            : { label: texts.setAsDefault, onChoose: () => choose.mutate(place) },
          ...(mayChange ? [{ label: texts.rename, onChoose: () => setAsked('rename') }] : []),
          ...(sharing
            ? [
                {
                  label: view.shared ? texts.makePrivate : texts.share,
                  onChoose: () => update.mutate({ ...place, body: { shared: !view.shared } }),
                },
              ]
            : []),
          ...(mayChange ? [{ label: texts.deleteLabel, isDangerous: true, onChoose: () => setAsked('delete') }] : []),
        ]}
      />
      {asked === 'rename' && <RenameView view={view} onClose={() => setAsked(undefined)} />}
      {asked === 'delete' && <DeleteView view={view} onClose={() => setAsked(undefined)} onDeleted={list.leave} />}
    </>
  )
}
