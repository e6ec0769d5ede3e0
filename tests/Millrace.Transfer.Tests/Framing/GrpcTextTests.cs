using FsCheck;
using FsCheck.Fluent;

namespace Millrace.Transfer.Tests.Framing;

/// <summary>Messages of errors in trailers.</summary>
public sealed class GrpcTextTests
{
    [Theory]
    [InlineData("", "")]
    [InlineData("There is no 'a b'.", "There is no 'a b'.")]
    [InlineData("50 % of it", "50 %25 of it")]
    [InlineData("Größe\r\n", "Gr%C3%B6%C3%9Fe%0D%0A")]
    public void Message_is_encoded_as_gRPC_specifies(string text, string encoded)
    {
        Assert.Equal(encoded, GrpcText.Encode(text));
        Assert.Equal(text, GrpcText.Decode(encoded));
    }

    [Theory]
    [InlineData("100%")]
    [InlineData("%")]
    [InlineData("%zz %4")]
    public void Wrongly_encoded_text_is_kept_as_it_is(string text) => Assert.Equal(text, GrpcText.Decode(text));

    [Fact]
    public void Message_stays_within_the_limit_of_trailers() =>
        Assert.InRange(GrpcText.Encode(new string('ä', 100_000)).Length, 4096, 4200);

    [Fact]
    public void Any_text_round_trips_and_is_safe_in_a_header() =>
        Check.One(Config.QuickThrowOnFailure.WithMaxTest(1000), Prop.ForAll(
            ArbMap.Default.GeneratorFor<NonNull<string>>().Where(text => !text.Get.Any(char.IsSurrogate)).ToArbitrary(),
            static text =>
            {
                string encoded = GrpcText.Encode(text.Get);
                Assert.All(encoded, letter => Assert.InRange(letter, ' ', '~'));
                Assert.Equal(text.Get, GrpcText.Decode(encoded));
            }));
}
