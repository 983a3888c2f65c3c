export const uploadOrders = ['created_at', 'size', 'filename'] as const

/** Filter and order of a list of uploads. */
export interface UploadFilter {
  /** Part of the filename, ignoring case. */
  search?: string | undefined
  /** Media type, or a wildcard such as `image/*`. */
  contentType?: string | undefined
  ids?: readonly number[] | undefined
  uploadedById?: number | undefined
  createdAfter?: string | undefined
  createdBefore?: string | undefined
  orderBy: (typeof uploadOrders)[number]
  sort: 'asc' | 'desc'
  /** Selects deleted uploads within the grace period instead of available ones. */
  deleted: boolean
}
