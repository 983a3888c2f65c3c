import { SearchX } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Link, useSearch } from 'wouter'
import { formatCount, inWords } from '../../components/format.ts'
import { SearchField } from '../../components/search-field.tsx'
import { Empty } from '../../components/states.tsx'
import { useSearchState } from '../../data/search-state.ts'
import { type ApiOperation, groupByTag, searchOperations } from './document.ts'
import { MethodBadge } from './method-badge.tsx'
import styles from './operation-list.module.css'

/** Operations by what they are about; the search stands in the address and goes along to each of them. */
export function OperationList({
  operations,
  current,
  isNarrow = false,
}: {
  operations: readonly ApiOperation[]
  current?: string
  /** True: in a column beside something else. */
  isNarrow?: boolean
}) {
  const [{ search = '' }, set] = useSearchState(['search'])
  const query = useSearch()
  const found = searchOperations(operations, search)
  const here = useRef<HTMLAnchorElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls to the operation that is shown
  useEffect(() => here.current?.scrollIntoView({ block: 'nearest' }), [current])
  return (
    <div className={isNarrow ? styles.narrow : styles.wide}>
      <search className={styles.search}>
        <SearchField
          label="Search operations"
          placeholder="Path, words, permission"
          value={search}
          onSearch={(text) => set({ search: text }, { isReplacing: true })}
        />
        <p className="muted small" aria-live="polite">
          {search && `${formatCount(found.length)} of ${formatCount(operations.length)}`}
        </p>
      </search>
      {found.length === 0 && (
        <Empty icon={SearchX} title="No operation has these words">
          <p>Try a part of a path, such as uploads.</p>
        </Empty>
      )}
      {groupByTag(found).map(([tag, group]) => (
        <section key={tag} aria-labelledby={`tag-${tag}`} className={styles.group}>
          <h2 id={`tag-${tag}`} className={styles.tag}>
            {inWords(tag)}
          </h2>
          <ul className={styles.list}>
            {group.map(({ operationId, method, path, summary }) => (
              <li key={operationId}>
                <Link
                  ref={operationId === current ? here : null}
                  to={`/-/api/${operationId}${query && `?${query}`}`}
                  className={styles.operation}
                  aria-current={operationId === current ? 'page' : undefined}
                >
                  <MethodBadge method={method} />
                  <span className={styles.path}>{shortPath(path)}</span>
                  <span className={styles.summary}>{summary}</span>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

/** Nearly all of them begin the same. */
const shortPath = (path: string) => path.replace(/^\/api\/v4(?=\/)/, '')
