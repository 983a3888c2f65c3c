import { Search } from 'lucide-react'
import { useCallback, useEffect, useId, useRef, useState } from 'react'
import styles from './search-field.module.css'

const debounceMs = 200

/**
 * Search field that calls `onSearch` with a debounce, immediately on Enter. It shows changes of `value` from outside.
 */
export function SearchField({
  label,
  value,
  onSearch,
  placeholder = label,
}: {
  label: string
  value: string
  onSearch: (text: string) => void
  placeholder?: string
}) {
  const id = useId()
  const [text, setText] = useState(value)
  const sent = useRef(value)
  const latestOnSearch = useRef(onSearch)
  latestOnSearch.current = onSearch

  useEffect(() => {
    if (value === sent.current) return
    sent.current = value
    setText(value)
  }, [value])
  const send = useCallback((next: string) => {
    if (next === sent.current) return
    sent.current = next
    latestOnSearch.current(next)
  }, [])
  useEffect(() => {
    const timer = setTimeout(() => send(text), debounceMs)
    return () => clearTimeout(timer)
  }, [text, send])

  return (
    <div className={styles.search}>
      <Search size={16} aria-hidden="true" className={styles.icon} />
      <label htmlFor={id} className="visually-hidden">
        {label}
      </label>
      <input
        id={id}
        type="search"
        className={styles.input}
        value={text}
        placeholder={placeholder}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={({ key }) => key === 'Enter' && send(text)}
      />
    </div>
  )
}
