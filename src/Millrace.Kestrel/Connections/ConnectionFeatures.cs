using System.Collections;
using System.Runtime.InteropServices;
using Microsoft.AspNetCore.Http.Features;

namespace Millrace.Kestrel;

/// <summary>The features of a connection: about a dozen, for which a list is as fast as a table and takes half a KiB less.</summary>
internal sealed class ConnectionFeatures : IFeatureCollection
{
    /// <summary>Ours and those that Kestrel adds.</summary>
    private const int UsualCount = 16;

    private readonly List<KeyValuePair<Type, object>> _features = new(UsualCount);

    public bool IsReadOnly => false;

    public int Revision { get; private set; }

    public object? this[Type key]
    {
        get => IndexOf(key) is >= 0 and var index ? _features[index].Value : null;
        set
        {
            Revision++;
            if (IndexOf(key) is >= 0 and var index)
            {
                _features.RemoveAt(index);
            }

            if (value is not null)
            {
                _features.Add(new(key, value));
            }
        }
    }

    public TFeature? Get<TFeature>() => (TFeature?)this[typeof(TFeature)];

    public void Set<TFeature>(TFeature? instance) => this[typeof(TFeature)] = instance;

    public IEnumerator<KeyValuePair<Type, object>> GetEnumerator() => _features.GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    private int IndexOf(Type key)
    {
        Span<KeyValuePair<Type, object>> features = CollectionsMarshal.AsSpan(_features);
        for (int i = 0; i < features.Length; i++)
        {
            if (features[i].Key == key)
            {
                return i;
            }
        }

        return -1;
    }
}
