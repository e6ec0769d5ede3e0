using System.Collections;

namespace Millrace.Transfer;

/// <summary>Lists of steps, one after the other.</summary>
internal sealed class JoinedSteps(IReadOnlyList<SyncStepList> lists) : IReadOnlyList<SyncStep>
{
    /// <summary>The lists.</summary>
    public IReadOnlyList<SyncStepList> Lists => lists;

    /// <inheritdoc/>
    public int Count => lists.Sum(static list => list.Count);

    /// <inheritdoc/>
    public SyncStep this[int index]
    {
        get
        {
            foreach (SyncStepList list in lists)
            {
                if (index < list.Count)
                {
                    return list[index];
                }

                index -= list.Count;
            }

            throw new ArgumentOutOfRangeException(nameof(index));
        }
    }

    /// <inheritdoc/>
    public IEnumerator<SyncStep> GetEnumerator() => lists.SelectMany(static list => list).GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}
