export interface NamespaceOrder {
  by: 'name' | 'path' | 'id'
  direction: 'asc' | 'desc'
}
