import { Search } from 'lucide-react'
import { useCallback, useEffect, useId, useRef, useState } from 'react'
import styles from './search-field.module.css'

const restMs = 200

/** Tells its text once the typing rests, at once on Enter. What comes from outside (back, reload) is shown. */
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
  const told = useRef(value)
  const tell = useRef(onSearch)
  tell.current = onSearch

  useEffect(() => {
    if (value === told.current) return
    told.current = value
    setText(value)
  }, [value])
  const say = useCallback((next: string) => {
    if (next === told.current) return
    told.current = next
    tell.current(next)
  }, [])
  useEffect(() => {
    const timer = setTimeout(() => say(text), restMs)
    return () => clearTimeout(timer)
  }, [text, say])

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
        onKeyDown={({ key }) => key === 'Enter' && say(text)}
      />
    </div>
  )
}
