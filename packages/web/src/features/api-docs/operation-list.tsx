import { SearchX } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Link, useSearch } from 'wouter'
import { SearchFilter } from '../../components/form/filters.tsx'
import { formatCount, inWords } from '../../components/format.ts'
import { Empty } from '../../components/page/states.tsx'
import { useSearchState } from '../../data/search-state.ts'
import { type ApiOperation, groupByTag, searchOperations } from './document.ts'
import { MethodBadge } from './method-badge.tsx'
import styles from './operation-list.module.css'
import { texts } from './texts.ts'

/** Operations grouped by tag. The search is part of the address and is kept in the links. */
export function OperationList({
  operations,
  current,
  isNarrow = false,
}: {
  operations: readonly ApiOperation[]
  current?: string
  /** True: shown as a narrow sidebar. */
  isNarrow?: boolean
}) {
  const [{ search = '' }, _set] = useSearchState(['search'])
  const query = useSearch()
  const found = searchOperations(operations, search)
  const here = useRef<HTMLAnchorElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls to the operation that is shown
  useEffect(() => here.current?.scrollIntoView({ block: 'nearest' }), [current])
  return (
    <div className={isNarrow ? styles.narrow : styles.wide}>
      <search className={styles.search}>
        <SearchFilter label={texts.searchOperations} placeholder={texts.searchByPathText} />
        <p className="muted small" aria-live="polite">
          {search && texts.of(formatCount(found.length), formatCount(operations.length))}
        </p>
      </search>
      {found.length === 0 && (
        <Empty icon={SearchX} title={texts.noMatchingOperations}>
          <p>{texts.searchForPartOfAPath}</p>
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

/** Removes the common prefix of API paths. */
const shortPath = (path: string) => path.replace(/^\/api\/v4(?=\/)/, '')
