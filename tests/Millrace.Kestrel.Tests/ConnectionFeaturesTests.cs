using Microsoft.AspNetCore.Http.Features;

namespace Millrace.Kestrel.Tests;

public sealed class ConnectionFeaturesTests
{
    [Fact]
    public void Feature_is_set_replaced_and_removed_as_in_the_framework()
    {
        IFeatureCollection[] both = [new ConnectionFeatures(), new FeatureCollection()];
        foreach (IFeatureCollection features in both)
        {
            int revision = features.Revision;
            features.Set("first");
            features[typeof(Version)] = new Version(1, 2);
            features.Set("second");
            Assert.NotEqual(revision, revision = features.Revision);
            Assert.Equal("second", features.Get<string>());
            Assert.Equal(new Version(1, 2), features[typeof(Version)]);
            Assert.Equal(2, features.Count());

            features.Set<string>(null);
            Assert.NotEqual(revision, features.Revision);
            Assert.Null(features.Get<string>());
            Assert.Null(features.Get<Uri>());
            Assert.Equal(typeof(Version), features.Single().Key);
        }
    }
}
