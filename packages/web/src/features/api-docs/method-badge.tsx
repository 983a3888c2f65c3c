import styles from './method-badge.module.css'

const tones: Record<string, string | undefined> = {
  GET: styles.get,
  POST: styles.post,
  PUT: styles.put,
  DELETE: styles.delete,
}

export function MethodBadge({ method }: { method: string }) {
  return <span className={`${styles.method} ${tones[method] ?? ''}`}>{method}</span>
}
