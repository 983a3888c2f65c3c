import { Inbox } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { SeverityBadge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { SearchFilter } from '../../components/form/filters.tsx'
import { reportTypeInWords } from '../../components/format.ts'
import { Page } from '../../components/page/page.tsx'
import { Empty, Failed, Loading } from '../../components/page/states.tsx'
import { useSearchState } from '../../data/search-state.ts'
import { useMayChange, useSession } from '../../data/session.ts'
import { useProject } from '../../nouns/project/project.ts'
import { chipsOf, findingFilterFrom, listed, nothing, toggledIn } from '../../nouns/vulnerability/filter-state.ts'
import { filters, findingFilterNames } from '../../nouns/vulnerability/filters.ts'
import { Chips } from './filters/chips.tsx'
import { FilterMenu, MoreFilters } from './filters/filter-button.tsx'
import { choicesOf } from './filters/filter-props.ts'
import type { GridColumn } from './grid/grid-row.tsx'
import { lengthInWords, usePagedRows } from './grid/paged-rows.ts'
import { RowGrid } from './grid/row-grid.tsx'
import { TitleCell } from './grid/title-cell.tsx'
import { useCursor } from './grid/use-cursor.ts'
import { useLiveRows } from './grid/use-live-rows.ts'
import { ListToolbar } from './list-toolbar.tsx'
import { type KeyHelp, movingKeys, otherKeys, selectingKeys } from './triage/keys.ts'
import { KeysDialog } from './triage/lazy-keys-dialog.ts'
import { handleListKey } from './triage/list-keys.ts'
import { KeysWithoutRows, type Press } from './triage/page-keys.ts'
import { type Promotion, usePromotion } from './triage/promotion.ts'
import { PromotionDialog } from './triage/promotion-dialog.tsx'
import { type FindingRow, unpromotedFindingsOf } from './unpromoted-findings.ts'
import styles from './vulnerability-list.module.css'

// Their scanners and branches are not counted, so they are typed.
const controls: typeof filters = {
  ...filters,
  scanner: { kind: 'text', label: 'Scanner', hint: 'Scanner id, for example semgrep', isList: true },
  ref: { kind: 'text', label: 'Branch or tag', hint: 'Instead of the default branch' },
}
const moreFilters = findingFilterNames.filter((name) => controls[name].kind === 'text' && name !== 'search')

/** List of the findings that await triage. */
export function Findings() {
  const session = useSession()
  const { project, level } = useProject()
  const [, navigate] = useLocation()
  const [state, set] = useSearchState(findingFilterNames)
  const filter = useMemo(() => findingFilterFrom(state), [state])
  const source = useMemo(() => unpromotedFindingsOf(project.id, filter), [project.id, filter])
  const rows = usePagedRows(source)
  const cursor = useCursor(rows, source.id)
  useLiveRows(rows, ['finding', 'findings'])
  const { promote, isBusy, progress } = usePromotion(project.id)
  const [asked, setAsked] = useState<Promotion>()
  const [showsKeys, setShowsKeys] = useState(false)
  const search = useRef<HTMLDivElement>(null)
  const chips = chipsOf(state)
  const mayPromote = useMayChange() && level >= session.triage_access_level

  const chosen = promotionOf(filter, rows, cursor)
  function act() {
    if (!mayPromote || !chosen) return
    if ('rows' in chosen && chosen.rows.length === 1) void promote(chosen)
    else setAsked(chosen)
  }
  function press(pressed: Press): boolean {
    const { key, ctrlKey, metaKey, altKey } = pressed
    if (key === 'p' && !ctrlKey && !metaKey && !altKey && mayPromote) {
      act()
      return true
    }
    const selectAll = mayPromote ? cursor.selectAll : undefined
    return handleListKey(pressed, {
      selectAll,
      clear: cursor.clear,
      search: search.current,
      help: () => setShowsKeys(true),
    })
  }

  return (
    <Page title="Findings" lead="Results awaiting triage.">
      <div className="stack">
        <search ref={search} className={styles.filters} aria-label="Findings">
          <div className="row-wrap">
            <SearchFilter label="Search findings" placeholder="Search by title, file or identifier" />
            {findingFilterNames.map((name) => {
              const control = controls[name]
              return (
                control.kind === 'list' && (
                  <FilterMenu
                    key={name}
                    label={control.label}
                    choices={choicesOf(control)}
                    chosen={listed(state[name])}
                    onToggle={(value) => set(toggledIn(name, state, value))}
                  />
                )
              )
            })}
            <MoreFilters names={moreFilters} controls={controls} state={state} onChange={set} />
          </div>
          <Chips chips={chips} onChange={set} />
        </search>
        {rows.error ? (
          <Failed error={rows.error} onRetry={rows.retry} />
        ) : rows.isLoading ? (
          <Loading />
        ) : rows.length === 0 && !rows.isOutdated ? (
          <Empty icon={Inbox} title={chips.length > 0 ? 'No results' : 'Nothing to triage'}>
            <p>
              {chips.length > 0
                ? 'No findings match these filters.'
                : 'No findings awaiting triage on the default branch.'}
            </p>
            {chips.length > 0 && <Button onClick={() => set(nothing)}>Clear filters</Button>}
            <KeysWithoutRows press={press} />
          </Empty>
        ) : (
          <RowGrid<FindingRow>
            label="Findings"
            rows={rows}
            columns={columns}
            active={cursor.active}
            onMove={cursor.move}
            onOpen={(row) => navigate(row.to)}
            onKey={press}
            selection={
              mayPromote
                ? {
                    isAll: cursor.isAll,
                    has: cursor.has,
                    toggle: cursor.toggle,
                    toggleAll: cursor.isAll ? cursor.clear : cursor.selectAll,
                  }
                : undefined
            }
            toolbar={
              <ListToolbar
                total={lengthInWords(rows, 'finding')}
                selected={cursor.isAll ? 'all' : cursor.selected.length}
                onSelectAll={mayPromote ? cursor.selectAll : undefined}
                onClear={cursor.clear}
                onKeys={() => setShowsKeys(true)}
              >
                {mayPromote && (
                  <Button
                    size="small"
                    kind="primary"
                    title="Accept as vulnerability (p)"
                    aria-keyshortcuts="p"
                    disabled={!chosen}
                    onClick={act}
                  >
                    Accept
                  </Button>
                )}
              </ListToolbar>
            }
          />
        )}
      </div>
      {asked && (
        <PromotionDialog
          promotion={asked}
          progress={progress}
          isBusy={isBusy}
          onClose={() => setAsked(undefined)}
          onConfirm={() =>
            void promote(asked).then((isDone) => {
              setAsked(undefined)
              if (isDone) cursor.clear()
            })
          }
        />
      )}
      {showsKeys && <KeysDialog keys={mayPromote ? promotingKeys : readingKeys} onClose={() => setShowsKeys(false)} />}
    </Page>
  )
}

/** Returns the selection, or the active row if nothing is selected. */
function promotionOf(
  filter: ReturnType<typeof findingFilterFrom>,
  rows: { length: number; isCounted: boolean },
  { isAll, selected, row }: { isAll: boolean; selected: readonly FindingRow[]; row: FindingRow | undefined },
): Promotion | undefined {
  if (isAll) return { filter, count: rows.isCounted ? rows.length : undefined }
  if (selected.length > 0) return { rows: selected }
  return row && { rows: [row] }
}

const readingKeys: KeyHelp = [...movingKeys, ...otherKeys]
const promotingKeys: KeyHelp = [...movingKeys, ...selectingKeys, ['p', 'Accept as vulnerability'], ...otherKeys]

const columns: readonly GridColumn<FindingRow>[] = [
  {
    name: 'Severity',
    width: '6rem',
    isSecondary: true,
    cell: ({ severity }) => <SeverityBadge severity={severity} />,
  },
  {
    name: 'Finding',
    width: 'minmax(0, 1fr)',
    cell: ({ title, place, to }) => <TitleCell title={title} place={place} to={to} />,
  },
  {
    name: 'Identifier',
    width: '11rem',
    isSecondary: true,
    cell: ({ identifier }) => <p className="muted small clip">{identifier}</p>,
  },
  {
    name: 'Scanner',
    width: '9rem',
    isSpare: true,
    cell: ({ scanner }) => <p className="muted small clip">{scanner}</p>,
  },
  {
    name: 'Report type',
    width: '9rem',
    isSpare: true,
    cell: ({ reportType }) => <p className="muted small clip">{reportTypeInWords(reportType)}</p>,
  },
]
