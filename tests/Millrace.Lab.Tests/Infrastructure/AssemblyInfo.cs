// The counters that are tested (allocations, system calls) are the whole process's.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
