namespace Millrace.Transfer.Tests.Uploading;

public sealed class RequestSizesTests
{
    private const long Min = RequestSizes.MinBytes;

    [Fact]
    public void One_request_brings_everything_until_something_is_against_it()
    {
        var sizes = new RequestSizes();
        sizes.GotThrough();
        Assert.Equal(long.MaxValue, sizes.Max);
    }

    [Theory]
    [InlineData(Min)]
    [InlineData(100_000_000)]
    [InlineData(3_000_000)]
    public void Limit_of_refusals_is_found_in_few_steps_and_not_exceeded_again(long limit)
    {
        var sizes = new RequestSizes();
        long length = 50_000_000_000;
        int refused = 0;
        for (int i = 0; i < 100; i++)
        {
            long request = Math.Min(length, sizes.Max);
            if (request <= limit)
            {
                sizes.GotThrough();
                continue;
            }

            Assert.True(sizes.Refuse(request));
            refused++;
        }

        Assert.InRange(refused, 1, 8);
        Assert.InRange(sizes.Max, Math.Max(Min, limit / 2), limit);
    }

    [Fact]
    public void Refusal_of_the_smallest_request_is_final()
    {
        var sizes = new RequestSizes();
        Assert.True(sizes.Refuse(Min + 1));
        Assert.Equal(Min, sizes.Max);
        Assert.False(sizes.Refuse(Min));
    }

    [Fact]
    public void After_a_cut_at_most_half_of_what_was_sent_is_sent_next()
    {
        var sizes = new RequestSizes();
        sizes.Cut(0);
        Assert.Equal(long.MaxValue, sizes.Max);
        sizes.Cut(8 * Min);
        Assert.Equal(4 * Min, sizes.Max);
        sizes.Cut(10);
        Assert.Equal(Min, sizes.Max);
    }

    [Fact]
    public void Larger_requests_are_tried_again_and_less_often_each_time_in_vain()
    {
        var sizes = new RequestSizes();
        sizes.Cut(8 * Min);
        for (int patience = RequestSizes.FirstPatience; patience <= 4 * RequestSizes.FirstPatience; patience *= 2)
        {
            for (int i = 0; i < patience; i++)
            {
                Assert.Equal(4 * Min, sizes.Max);
                sizes.GotThrough();
            }

            Assert.Equal(8 * Min, sizes.Max);
            sizes.Cut(8 * Min);
        }
    }

    [Fact]
    public void Lowest_announced_limit_is_obeyed()
    {
        var sizes = new RequestSizes();
        sizes.Announce(90_000_000);
        sizes.Announce(100_000_000);
        Assert.Equal(90_000_000, sizes.Max);
        sizes.Announce(0);
        Assert.Equal(1, sizes.Max);
    }
}
