namespace Millrace.Lab.Meters;

/// <summary>
/// Bytes of large objects, those of 85,000 bytes and more, that this process allocates between two collections. Exact: the size
/// of that generation at the start of a collection, less its size after the one before. Not thread-safe.
/// </summary>
internal sealed class LargeObjects
{
    public const string Source = "GC.GetGCMemoryInfo, the large object heap between two full collections, in a separate pass";

    // Of GCMemoryInfo.GenerationInfo: 0 to 2, then large objects, then pinned ones.
    private const int Generation = 3;

    private long _left;
    private int _collections = -1;

    /// <returns>
    /// The bytes allocated since the last call; null for the first call, and when another collection in between makes them unknown.
    /// </returns>
    public long? Next()
    {
        bool alone = _collections == GC.CollectionCount(GC.MaxGeneration);
#pragma warning disable RS0030
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true);
#pragma warning restore RS0030
        GCGenerationInfo info = GC.GetGCMemoryInfo(GCKind.FullBlocking).GenerationInfo[Generation];
        long allocated = info.SizeBeforeBytes - info.FragmentationBeforeBytes - _left;
        _left = info.SizeAfterBytes - info.FragmentationAfterBytes;
        _collections = GC.CollectionCount(GC.MaxGeneration);
        return alone ? allocated : null;
    }

    /// <summary>Counts the allocations of a case's invocation at both ends, as a pass after the rounds.</summary>
    public static void MeasurePass(LabCase entry)
    {
        var mine = new LargeObjects();
        entry.Prepare();
        _ = entry.ServerLargeObjects();
        _ = mine.Next();
        entry.Invoke();
        entry.LargeObjectBytes = mine.Next();
        entry.ServerLargeObjectBytes = entry.ServerLargeObjects();
        entry.Finish();
    }
}
