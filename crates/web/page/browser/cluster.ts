// A larger cluster, made from a seed: three pools, three zones, what runs where.

function random(seed: number) {
  let state = seed >>> 0;
  return (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A native problem with this many nodes. */
export function cluster(nodes: number, services: number): string {
  const next = random(7);
  const pools = [
    { name: "general", cpu: 16, memory: 64 },
    { name: "compute", cpu: 32, memory: 64 },
    { name: "memory", cpu: 16, memory: 128 },
  ];
  const demand = Array.from({ length: services }, () => ({ cpu: 1 + next(3), memory: 1 + next(6) }));
  const replicas = demand.map(() => 0);
  const placement: object[] = [];
  const list = Array.from({ length: nodes }, (_, n) => {
    const pool = pools[[0, 0, 0, 1, 1, 2][next(6)]];
    const name = `${pool.name}-${String(n).padStart(5, "0")}`;
    let [cpu, memory] = [pool.cpu, pool.memory];
    const seen = new Set<number>();
    for (let tries = next(8); tries > 0; tries--) {
      const service = Math.floor((next(1000) / 1000) ** 2 * services);
      const count = 1 + next(2);
      const need = demand[service];
      if (seen.has(service) || need.cpu * count > cpu || need.memory * count > memory) continue;
      seen.add(service);
      cpu -= need.cpu * count;
      memory -= need.memory * count;
      replicas[service] += count;
      placement.push({ service: `service-${service}`, node: name, count });
    }
    return { name, pool: pool.name, labels: { zone: "abc"[n % 3] } };
  });
  return JSON.stringify({
    version: 1,
    pools: pools.map(({ name, cpu, memory }) => ({ name, capacity: { cpu, memory: `${memory}Gi` }, price: 1 })),
    nodes: list,
    services: demand.map((d, i) => ({
      name: `service-${i}`,
      replicas: Math.max(1, replicas[i]),
      demand: { cpu: d.cpu, memory: `${d.memory}Gi` },
    })),
    traffic: demand.slice(1).map((_, i) => ({ between: [`service-${i}`, `service-${i + 1}`], weight: 1 + next(50) })),
    placement,
  });
}
